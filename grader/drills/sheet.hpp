/// @file
/// Draws questions from a number, ten at a time, so that each ten tests the whole idea: who makes one mistake throughout
/// must not come near the pass mark. (Drawn uniformly, one-mistake formulas got 85 % right.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "drills/drill.hpp"

namespace course::drills {

inline constexpr std::size_t kSheet = 10;      ///< questions in a sheet
inline constexpr std::size_t kPassMark = 9;    ///< right answers of the first ten that pass
inline constexpr std::size_t kLimitMark = 20;  ///< right answers in a row at which somebody is at the limit
inline constexpr std::size_t kMostByOneMistake = 6;  ///< right answers of ten that a single mistake may get
inline constexpr std::size_t kMostAlike = 4;         ///< questions of ten that may have the same answer
inline constexpr std::uint32_t kHighestNumber = 999'999'999;  ///< of a draw

/// How many of @p questions somebody gets right who makes that mistake of the drill throughout.
std::size_t right_by_mistake(const std::vector<question>& questions, std::size_t mistake);

/// Ten questions: all different, no single mistake gets more than kMostByOneMistake right, and no answer repeated
/// throughout gets more than kMostAlike. The same number always gives the same ten.
/// @param[in] number of the draw, at most kHighestNumber.
/// @param[in] index which ten of that number's endless sequence, from 0.
/// @throws std::logic_error if the drill proposes nothing fair (a test draws thousands).
std::vector<question> draw_sheet(const drill& from, std::uint32_t number, unsigned index);

/// The first @p count questions of a number's sequence.
std::vector<question> draw(const drill& from, std::uint32_t number, std::size_t count = kSheet);

}  // namespace course::drills

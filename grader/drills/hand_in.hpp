/// @file
/// Grades the answers file of a tree: from the file to a verdict.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drills/drill.hpp"
#include "drills/marking.hpp"
#include "records/verdict.hpp"

namespace course::drills {

/// Name of the file that is handed in.
inline constexpr const char* kAnswersFile = "answers.txt";

/// What grading a hand-in found.
struct graded_hand_in {
  verdict outcome = verdict::missing;
  std::string_view cause;
  std::string headline;      ///< one sentence or two for the student; empty if all is well
  int line = 0;              ///< of the file, where one is at fault
  std::uint32_t number = 0;  ///< of the draw; 0 if the file does not say
  std::string text;          ///< of the file; empty if there is none
  marking marked;            ///< without answers if the file could not be read
};

/// Grades the answers file @p file.
/// @param[in] forced the only number whose answers are taken, as in an examination; nullopt: any.
graded_hand_in grade_hand_in(const drill& of, const std::filesystem::path& file,
                             std::optional<std::uint32_t> forced);

}  // namespace course::drills

/// @file
/// From an exercise's description and a seed to the list of cases that a grading runs: the listed sizes, some drawn from the seed, and
/// the hidden one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/exercise.hpp"

namespace course {

/// One case to run.
struct planned_case {
  std::string name;  ///< for the student: "n=33", "to_aos n=33"
  const describer* asks = nullptr;
  shape sizes;
  bool hidden = false;  ///< the large one: run once, as a last check
};

/// All cases of @p what in the order in which they run. An empty problem says little about a program that does nothing yet, so the first
/// one with anything in it goes first.
std::vector<planned_case> plan_cases(const exercise& what, const facts& device, std::uint64_t seed);

/// Index of the largest case with at most 64 KiB of buffers: one in which a program that does anything at all does something.
std::size_t roomy_case(const std::vector<planned_case>& cases, const facts& device);

/// Whether a listed case compares figures that only the device knows (reference_answer()): times, which others on the device disturb.
bool compares_figures(const exercise& what, const facts& device);

/// The problem of a benchmark at a size.
problem ask(const exercise& what, const benchmark& of, const shape& sizes, const facts& device);

/// Names of all functions that the exercise calls, in any case.
std::vector<std::string> functions_of(const exercise& what, const facts& device);

}  // namespace course

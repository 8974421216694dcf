/// @file
/// The words with which builder, judge and course command answer. Both sets are closed: whoever reads result files can rely on them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace course {

/// What became of an exercise. Only `pass` passes; missing, unsupported_device and inconclusive count as
/// skipped.
enum class verdict {
  pass,                 ///< right, idea gates met, pass gate met
  not_attempted,        ///< no output is written and nothing was tried
  missing,              ///< the tree has no such file
  compile_error,        ///< nvcc refuses it, or it cannot be loaded
  wrong_result,         ///< runs, and the output (or the way to it) is wrong
  out_of_bounds,        ///< touches memory outside its buffers, freed memory, or misaligned addresses
  race,                 ///< threads touch the same memory without order
  crashed,              ///< the program ends itself or is ended by a signal
  timeout,              ///< does not come to an end
  wasteful,             ///< right and fast enough, but an idea gate is missed
  too_slow,             ///< right, but below the pass gate
  inconclusive,         ///< the machine was too noisy to decide; never counts against anybody
  unsupported_device,   ///< this device cannot run the exercise
  unsupported_feature,  ///< the simulated GPU lacks an instruction or a call that the program uses
  harness_error,        ///< our fault, or the installation's
};

/// @return the word of @p which, as result files hold it.
std::string_view name_of(verdict which);
/// @return true for the empty cause and for those of causes.def.
bool is_cause(std::string_view word);
/// @return true for verdicts that CTest shall show as skipped.
bool counts_as_skipped(verdict which);

/// All verdicts, in the order of their enumeration.
inline constexpr auto kVerdicts = [] {
  std::array<verdict, static_cast<std::size_t>(verdict::harness_error) + 1> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<verdict>(i);
  return all;
}();

/// A second word that refines a verdict. Empty where the verdict says all.
namespace cause {
inline constexpr std::string_view none = "";
#define COURSE_CAUSE(identifier, word) inline constexpr std::string_view identifier = word;
#include "records/causes.def"
}  // namespace cause

/// All causes but the empty one.
inline constexpr std::string_view kCauses[] = {
#define COURSE_CAUSE(identifier, word) word,
#include "records/causes.def"
};

/// Where in the student's file; line 0: unknown.
struct location {
  std::string file;
  unsigned line = 0;
};

}  // namespace course

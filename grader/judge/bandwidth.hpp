/// @file
/// How fast a right program is, and how wasteful: counts and modelled time on the simulated GPU, measured time on a real one. Both end in
/// the same gates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "judge/contestant.hpp"
#include "judge/exercise.hpp"
#include "judge/result.hpp"

namespace course {

/// Calibrated error of modelled time against a real card: below a pass gate by less than this the verdict is left to a GPU.
inline constexpr double kModelError = 0.12;
/// What an L2 full of unwritten lines may hide of a run's traffic at its end.
inline constexpr double kRoofSlack = 1.10;

/// Student and baseline, in this order of interest.
struct contenders {
  contestant& student;
  contestant& baseline;
};

/// What one benchmark showed, for its gates.
struct benchmark_run {
  problem asked;                     ///< as counted on the simulated GPU
  device_report report, before;      ///< the student's
  std::vector<std::uint64_t> sizes;  ///< what the student's calls returned: see evidence
  bool counted = false;  ///< false: the simulated GPU cannot run this program, so nothing was counted
  std::optional<measurement> measured;
};

/// One modelled launch of each on the simulated GPU, at the benchmark's size; inputs are changed before it and outputs checked after it.
/// @param baseline null on a machine where the time is measured: then only counts are taken. @p student itself where the baseline is the
///                 very same plugin: modelled time is a function of program and inputs, so a second run could only say the same again.
/// @param cases takes a line for the timed case. @param details takes remarks.
std::optional<judgement> model_on_sim(const exercise& what, const benchmark& of, contestant& student,
                                      contestant* baseline, std::uint64_t seed, benchmark_run& into,
                                      result& notes);

/// Interleaved pairs on a real device (measure.cpp), until the interval leaves the pass gate.
/// @param gate speed that decides, as a share of the baseline's; 0: none, measure a fixed number.
std::optional<judgement> measure_on_gpu(const exercise& what, const benchmark& of, contenders who,
                                        double gate, std::uint64_t seed, measurement& into, result& notes);

/// A rate above what the device's memory can do. @return the judgement `faster_than_roof`, or nothing.
std::optional<judgement> beyond_roof(const benchmark& of, const problem& asked, double seconds,
                                     double dram_bytes_per_second, double link_bytes_per_second);

/// The share of the baseline's speed that a benchmark's pass gate asks for; 0 if it has none.
double pass_threshold(const exercise& what, const benchmark& of);

}  // namespace course

/// @file
/// Metrics of registers, local memory and spills.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.

#include <fmt/format.h>

#include <optional>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"

namespace course::metrics {
namespace {

// A frame that holds spilled registers has no array in it that could be indexed in another way: it is told as what it is.
const char* lies_in_local_memory(const kernel_launch& launch, bool is_frame) {
  return is_frame && launch.spill_bytes.value_or(0) == 0 ? "a stack frame, says ptxas -v"
                                                         : "spilled registers, says ptxas -v";
}

// Of launched kernels, from ptxas's report; unknown for one makes it unknown for all.
template <class Figure>
reading by_ptxas(const evidence& seen, Figure figure, bool is_frame) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    const std::optional<double>& value = launch.*figure;
    if (!value) return kNothing;
    if (!found.counted || *value > found.value) {
      found = {.value = *value};
      found.sentence = fmt::format("{} keeps {:.0f} bytes a thread in local memory ({})", launch.kernel,
                                   *value, lies_in_local_memory(launch, is_frame));
    }
  }
  if (found.counted) {
    auto why = explain_waste(seen.report, seen.asked, cause::local_memory);
    if (!why.sentence.empty()) found.sentence += ": " + why.sentence;
    found.at = why.at;
    found.cause = cause::local_memory;
  }
  return found;
}

}  // namespace

const metric local_bytes{"local_bytes",
                         "B",
                         origin::counters,
                         scope::total,
                         when_nothing::met,
                         "bytes of local memory that lanes load and store",
                         [](const evidence& seen) {
                           const double bytes = counted(seen, "simgpu__local_bytes_requested_op_ld.sum") +
                                                counted(seen, "simgpu__local_bytes_requested_op_st.sum");
                           return with_waste({.value = bytes}, seen, cause::local_memory);
                         }};
const metric stack_frame{
    "stack_frame",
    "B per thread",
    origin::compiler,
    scope::worst_launch,
    when_nothing::inconclusive,
    "stack frame of launched kernels, as ptxas -v says",
    [](const evidence& seen) { return by_ptxas(seen, &kernel_launch::stack_frame_bytes, true); }};
const metric spills{"spills",
                    "B per thread",
                    origin::compiler,
                    scope::worst_launch,
                    when_nothing::inconclusive,
                    "registers that launched kernels spill, as ptxas -v says",
                    [](const evidence& seen) { return by_ptxas(seen, &kernel_launch::spill_bytes, false); }};

}  // namespace course::metrics

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

// Of launched kernels, from ptxas's report; unknown for one makes it unknown for all.
template <class Figure>
reading by_ptxas(const evidence& seen, Figure figure, const char* what) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    const std::optional<double>& value = launch.*figure;
    if (!value) return kNothing;
    if (!found.counted || *value > found.value) {
      found = {.value = *value};
      found.sentence =
          fmt::format("{} keeps {:.0f} bytes a thread in local memory ({})", launch.kernel, *value, what);
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
const metric stack_frame{"stack_frame",
                         "B per thread",
                         origin::compiler,
                         scope::worst_launch,
                         when_nothing::inconclusive,
                         "stack frame of launched kernels, as ptxas -v says",
                         [](const evidence& seen) {
                           return by_ptxas(seen, &kernel_launch::stack_frame_bytes,
                                           "a stack frame, says ptxas -v");
                         }};
const metric spills{"spills",
                    "B per thread",
                    origin::compiler,
                    scope::worst_launch,
                    when_nothing::inconclusive,
                    "registers that launched kernels spill, as ptxas -v says",
                    [](const evidence& seen) {
                      return by_ptxas(seen, &kernel_launch::spill_bytes, "spilled registers, says ptxas -v");
                    }};

}  // namespace course::metrics

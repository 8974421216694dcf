/// @file
/// Metrics of geometry: threads, blocks and lanes that work.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "records/quantities.hpp"

namespace course::metrics {

const metric block_threads{
    "block_threads",
    "threads",
    origin::occupancy,
    scope::worst_launch,
    when_nothing::missed,
    "threads of a block that touches data: the smallest",
    [](const evidence& seen) {
      auto found = worst_of_launches(seen, false,
                                     [](const kernel_launch& one) { return static_cast<double>(one.block); });
      return with(found, cause::small_blocks, fmt::format("a block has {:.0f} threads", found.value));
    }};
const metric blocks{"blocks",
                    "blocks",
                    origin::occupancy,
                    scope::worst_launch,
                    when_nothing::missed,
                    "blocks of the largest launch",
                    [](const evidence& seen) {
                      auto found = worst_of_launches(
                          seen, true, [](const kernel_launch& one) { return static_cast<double>(one.grid); });
                      return off(found, fmt::format("the grid has {:.0f} blocks", found.value));
                    }};
const metric threads_per_output{
    "threads_per_output",
    "threads per output",
    origin::occupancy,
    scope::total,
    when_nothing::missed,
    "threads launched, over outputs",
    [](const evidence& seen) {
      double threads = 0;
      for (const auto& launch : seen.report.launches())
        threads += static_cast<double>(launch.grid) * static_cast<double>(launch.block);
      auto found = over(threads, outputs_of(seen));
      return off(found, fmt::format("{} threads are launched for each output", count_text(found.value)));
    }};
const metric lanes_per_load{
    "lanes_per_load",
    "lanes",
    origin::counters,
    scope::worst_line,
    when_nothing::missed,
    "lanes of a load request to global or shared memory, worst line",
    [](const evidence& seen) {
      reading found = kNothing;
      for (const auto& site : sites_by_line(seen.report)) {
        if (site.kind != "load" || site.requests == 0 || (site.memory != "global" && site.memory != "shared"))
          continue;
        const double lanes = site.lanes / site.requests;
        if (found.counted && lanes <= found.value) continue;
        found = with({.value = lanes}, cause::off_the_idea,
                     fmt::format("{} asks with {} lanes at a time", place_of(site), count_text(lanes)),
                     {site.file, site.line});
      }
      return found;
    }};

}  // namespace course::metrics

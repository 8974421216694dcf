/// @file
/// Metrics of shared memory: wavefronts, bytes that pass through it, how blocks exchange by it.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include <algorithm>

#include "judge/device_report.hpp"
#include "judge/explain.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "records/quantities.hpp"

namespace course::metrics {
namespace {

// By lanes or by the copy engine: a bulk load stores to shared memory, a bulk store loads from it.
double through_shared(const evidence& seen) {
  return std::min(shared_bytes_of(seen, "store") + counted(seen, "simgpu__bulk_bytes_load.sum"),
                  shared_bytes_of(seen, "load") + counted(seen, "simgpu__bulk_bytes_store.sum"));
}

double excess_of(const evidence& seen, std::string_view kind) {
  double excess = 0;
  for (const auto& launch : seen.report.launches()) {
    for (const auto& site : launch.sites) {
      if (site.memory != "shared" || site.kind != kind) continue;
      excess += std::max(0.0, site.wavefronts - site.ideal_wavefronts);
    }
  }
  return excess / shared_requests_that_count(seen.report, seen.asked, kind);
}

}  // namespace

const metric excess_wavefronts{"excess_wavefronts",
                               "wavefronts per request",
                               origin::counters,
                               scope::total,
                               when_nothing::met,
                               "shared-memory wavefronts beyond the fewest, over the requests that the "
                               "method needs; loads and stores apart, the worse",
                               [](const evidence& seen) {
                                 // Loads and stores apart: a tile is filled and read about equally often, and the clean half must not hide the other.
                                 const double worst =
                                     std::max(excess_of(seen, "load"), excess_of(seen, "store"));
                                 if (shared_bytes_of(seen, "load") + shared_bytes_of(seen, "store") == 0)
                                   return kNothing;
                                 return with_waste({.value = worst}, seen, cause::bank_conflicts);
                               }};
const metric shared_through{
    "shared_through",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "the lesser of bytes brought to and taken from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(through_shared(seen), read_of(seen));
      return off(found,
                 fmt::format("{} of the input goes through shared memory", whole_percent_text(found.value)));
    }};
const metric shared_of_loads{
    "shared_of_loads",
    "share of loads",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "the lesser of bytes brought to and taken from shared memory, over the bytes that kernels load",
    [](const evidence& seen) {
      auto found = over(through_shared(seen), seen.report.bytes_loaded_by_kernels());
      return off(found, fmt::format("{} of what is loaded from global memory goes through shared memory",
                                    whole_percent_text(found.value)));
    }};
const metric shared_loads{
    "shared_loads",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes loaded from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(shared_bytes_of(seen, "load"), read_of(seen));
      return off(found, fmt::format("{} is loaded from shared memory", share_text(found.value)));
    }};
const metric shared_load_bytes_per_output{
    "shared_load_bytes_per_output",
    "B per output",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes loaded from shared memory for each output",
    [](const evidence& seen) {
      auto found = over(shared_bytes_of(seen, "load"), outputs_of(seen));
      return off(found,
                 fmt::format("{} bytes of shared memory are read for each output", count_text(found.value)));
    }};
const metric shared_exchanged{
    "shared_exchanged",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes taken from shared memory that another thread had brought there, over the bytes to be read",
    [](const evidence& seen) {
      // Some blocks are watched, and their share holds for all. What the copy engine takes, threads have brought.
      const double watched = counted(seen, "simgpu__shared_bytes_watched.sum");
      const double share = watched > 0 ? counted(seen, "simgpu__shared_bytes_exchanged.sum") / watched : 0;
      auto found = over(share * shared_bytes_of(seen, "load") + counted(seen, "simgpu__bulk_bytes_store.sum"),
                        read_of(seen));
      if (shared_bytes_of(seen, "load") == 0)
        return off(found, "no thread takes anything from shared memory");
      return off(found,
                 fmt::format("{} of what threads take from shared memory they had stored there themselves",
                             percent_text(1 - share)));
    }};
const metric shared_serial_loads{
    "shared_serial_loads",
    "elements",
    origin::counters,
    scope::worst_launch,
    when_nothing::met,
    "elements of 4 bytes that a few lanes of a warp, fewer than 8, load from shared memory one after the "
    "other, of a block",
    [](const evidence& seen) -> reading {
      // A tree's last steps, or one lane that adds up a sum for each warp, stay below 32; one lane that adds up a tile does not.
      constexpr double kFewLanes = 8;
      double worst = 0;
      location at;
      for (const auto& launch : seen.report.launches()) {
        const double blocks = launch.counter("simgpu__blocks_touching_global.sum");
        if (!(blocks > 0)) continue;
        double elements = 0, most = 0;
        location there;
        for (const auto& site : launch.sites) {
          if (site.memory != "shared" || site.kind != "load" || !(site.requests > 0)) continue;
          const double lanes = site.lanes / site.requests;
          if (lanes >= kFewLanes) continue;
          const double of_site = site.bytes_requested / lanes / 4 / blocks;
          elements += of_site;
          if (of_site > most) most = of_site, there = {site.file, site.line};
        }
        if (elements > worst) worst = elements, at = there;
      }
      return with(
          {.value = worst}, cause::off_the_idea,
          fmt::format("a few lanes load {} elements of shared memory one after the other, in each block",
                      count_text(worst)),
          at);
    }};
const metric shared_stores_per_warp{
    "shared_stores_per_warp",
    "share of warps",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "warps that store to shared memory, over warps that touch data",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__warps_storing_shared.sum"),
                        counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found, fmt::format("{} of the warps store anything to shared memory",
                                    whole_percent_text(found.value)));
    }};
const metric shared_writes_per_warp{
    "shared_writes_per_warp",
    "per warp",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "requests that store to shared memory or add to it, over warps that touch data",
    [](const evidence& seen) {
      double requests = 0;
      for (const auto& launch : seen.report.launches()) {
        for (const auto& site : launch.sites)
          requests += site.memory == "shared" && site.kind != "load" ? site.requests : 0;
      }
      auto found = over(requests, counted(seen, "simgpu__warps_touching_global.sum"));
      return off(found, fmt::format("a warp writes {} times to shared memory", count_text(found.value)));
    }};
const metric shared_updates{
    "shared_updates",
    "per byte",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "lanes of shared-memory atomics, and bytes loaded from shared memory, over the bytes to be read",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__shared_atomic_lanes.sum") + shared_bytes_of(seen, "load"),
                        read_of(seen));
      return off(found, fmt::format("{} accesses to counters in shared memory for each byte of input",
                                    count_text(found.value)));
    }};
const metric shared_bytes{"shared_bytes",
                          "B",
                          origin::counters,
                          scope::total,
                          when_nothing::met,
                          "bytes that lanes load from and store to shared memory, by atomics too",
                          [](const evidence& seen) -> reading {
                            double bytes = 0;
                            for (const auto& launch : seen.report.launches()) {
                              for (const auto& site : launch.sites)
                                bytes += site.memory == "shared" ? site.bytes_requested : 0;
                            }
                            return off({.value = bytes},
                                       fmt::format("{:.0f} bytes go through shared memory", bytes));
                          }};
const metric launched_shared_bytes{
    "launched_shared_bytes",
    "B per block",
    origin::occupancy,
    scope::worst_launch,
    when_nothing::missed,
    "static and dynamic shared memory of a block",
    [](const evidence& seen) {
      auto found = worst_of_launches(seen, true, [](const kernel_launch& one) { return one.shared_bytes; });
      return off(found, fmt::format("a block takes {:.0f} bytes of shared memory", found.value));
    }};

}  // namespace course::metrics

/// @file
/// Metrics of asynchronous copies: by lanes, in bulk and by tensor maps, their barriers, and what is on its way.
/// Each: how it is counted, and the sentence for whoever misses a gate on it.
#include <fmt/format.h>

#include <algorithm>

#include "judge/device_report.hpp"
#include "judge/metrics.hpp"
#include "judge/metrics/reading.hpp"
#include "records/quantities.hpp"

namespace course::metrics {

namespace {
reading moved(const evidence& seen, double bytes, double needed, const char* how) {
  (void)seen;
  auto found = over(bytes, needed);
  return off(found, fmt::format("{} of the bytes come by {}", whole_percent_text(found.value), how));
}
}  // namespace

const metric async_loads{"async_loads",
                         "share",
                         origin::counters,
                         scope::total,
                         when_nothing::missed,
                         "bytes loaded by cp.async, bulk or tensor copies, over the bytes to be read",
                         [](const evidence& seen) {
                           return moved(seen,
                                        counted(seen, "simgpu__async_copy_bytes.sum") +
                                            counted(seen, "simgpu__bulk_bytes_load.sum"),
                                        read_of(seen), "asynchronous copies");
                         }};
const metric bulk_loads{"bulk_loads",
                        "share",
                        origin::counters,
                        scope::total,
                        when_nothing::missed,
                        "bytes loaded by bulk or tensor copies, over the bytes to be read",
                        [](const evidence& seen) {
                          return moved(seen, counted(seen, "simgpu__bulk_bytes_load.sum"), read_of(seen),
                                       "bulk copies");
                        }};
const metric bulk_stores{"bulk_stores",
                         "share",
                         origin::counters,
                         scope::total,
                         when_nothing::missed,
                         "bytes stored by bulk or tensor copies, over the bytes to be written",
                         [](const evidence& seen) {
                           return moved(seen, counted(seen, "simgpu__bulk_bytes_store.sum"), written_of(seen),
                                        "bulk stores");
                         }};
const metric tensor_loads{"tensor_loads",
                          "share",
                          origin::counters,
                          scope::total,
                          when_nothing::missed,
                          "bytes loaded by tensor copies, over the bytes to be read",
                          [](const evidence& seen) {
                            return moved(seen, counted(seen, "simgpu__tensor_bytes_load.sum"), read_of(seen),
                                         "tensor copies");
                          }};
const metric tensor_stores{"tensor_stores",
                           "share",
                           origin::counters,
                           scope::total,
                           when_nothing::missed,
                           "bytes stored by tensor copies, over the bytes to be written",
                           [](const evidence& seen) {
                             return moved(seen, counted(seen, "simgpu__tensor_bytes_store.sum"),
                                          written_of(seen), "tensor stores");
                           }};
namespace {
// Launches without tensor copies have no map to look at: how much comes by them is another metric.
reading least_of_maps(const evidence& seen, std::string_view counter) {
  reading found = kNothing;
  for (const auto& launch : seen.report.launches()) {
    if (launch.counter("simgpu__tensor_bytes_load.sum") == 0) continue;
    const double here = launch.counter(counter);
    if (!found.counted || here < found.value) found = {.value = here};
  }
  return found;
}
}  // namespace
const metric tensor_swizzle{"tensor_swizzle",
                            "B",
                            origin::counters,
                            scope::worst_launch,
                            when_nothing::missed,
                            "swizzle of the tensor maps that are loaded through",
                            [](const evidence& seen) {
                              auto found = least_of_maps(seen, "simgpu__tensor_swizzle_bytes_load.min");
                              return off(found,
                                         fmt::format("the tensor map swizzles by {:.0f} bytes", found.value));
                            }};
const metric tensor_row{"tensor_row",
                        "B",
                        origin::counters,
                        scope::worst_launch,
                        when_nothing::missed,
                        "bytes of a box's innermost row",
                        [](const evidence& seen) {
                          auto found = least_of_maps(seen, "simgpu__tensor_row_bytes_load.min");
                          return off(found, fmt::format("a row of the box has {:.0f} bytes", found.value));
                        }};
const metric completions_per_barrier{
    "completions_per_barrier",
    "phases",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "phases that an mbarrier completes, on average over the bytes that come by it",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__mbarrier_byte_completions.sum"),
                        counted(seen, "simgpu__mbarrier_expect_bytes.sum"));
      return off(found, fmt::format("a barrier completes {} {}", count_text(found.value),
                                    found.value == 1 ? "phase" : "phases"));
    }};
const metric inits_per_barrier{
    "inits_per_barrier",
    "inits",
    origin::counters,
    scope::worst_launch,
    when_nothing::missed,
    "inits of the mbarrier that has the most, in one block",
    [](const evidence& seen) {
      auto found = worst_of_launches(
          seen, true, [](const kernel_launch& one) { return one.counter("simgpu__mbarrier_inits.max"); });
      return off(found, fmt::format("a barrier is initialised {:.0f} times in a block", found.value));
    }};
const metric repeated_inits{
    "repeated_inits",
    "inits",
    origin::counters,
    scope::total,
    when_nothing::met,
    "initialisations of an mbarrier that nobody has used since the one before",
    [](const evidence& seen) -> reading {
      const double inits = counted(seen, "simgpu__mbarrier_inits_repeated.sum");
      return off({.value = inits},
                 fmt::format("barriers are initialised {:.0f} times more than they need", inits));
    }};
const metric async_bytes_in_flight{
    "async_bytes_in_flight",
    "B per block",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "mean bytes that a block has on their way, by asynchronous copies, while it works on a tile",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__async_bytes_outstanding.sum"),
                        counted(seen, "simgpu__async_waits.sum"));
      return with(
          found, cause::latency,
          fmt::format("{} bytes are on their way while a tile is worked on", count_text(found.value)));
    }};
const metric async_tiles_in_flight{
    "async_tiles_in_flight",
    "copies",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "mean asynchronous copies that a block has on their way while it works on a tile",
    [](const evidence& seen) {
      auto found = over(counted(seen, "simgpu__async_copies_outstanding.sum"),
                        counted(seen, "simgpu__async_waits.sum"));
      return with(
          found, cause::latency,
          fmt::format("{} copies are on their way while a tile is worked on", count_text(found.value)));
    }};

namespace {
// What a block has in its own shared memory, or takes from a neighbour's: by bulk copies (a multicast lands in several blocks), cp.async,
// stores and remote loads. What lanes store into their own block's memory counts up to what they loaded, so that clean dummy stores
// deliver nothing.
double delivered(const evidence& seen) {
  const double remote_stores = counted(seen, "simgpu__remote_shared_bytes_op_st.sum");
  const double by_groups = counted(seen, "simgpu__async_copy_bytes.sum");
  const double own_stores = std::max(0.0, shared_bytes_of(seen, "store") - remote_stores);
  const double by_lanes = std::max(
      0.0, seen.report.bytes_loaded_by_kernels() - by_groups - counted(seen, "simgpu__bulk_bytes_load.sum"));
  return counted(seen, "simgpu__bulk_bytes_delivered.sum") +
         counted(seen, "simgpu__remote_shared_bytes_copied.sum") + by_groups + remote_stores +
         counted(seen, "simgpu__remote_shared_bytes_op_ld.sum") + std::min(own_stores, by_lanes);
}
}  // namespace

const metric delivered_to_shared{
    "delivered_to_shared",
    "x required",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes that land in a block's shared memory, or that it reads in a neighbour's, over the bytes to be "
    "read",
    [](const evidence& seen) {
      auto found = over(delivered(seen), read_of(seen));
      return off(found, fmt::format("{} times the bytes to be read reach the blocks' shared memory",
                                    count_text(found.value)));
    }};
const metric loads_of_delivered{
    "loads_of_delivered",
    "share",
    origin::counters,
    scope::total,
    when_nothing::missed,
    "bytes that kernels ask of L2, over the bytes that land in shared memory or are read in a neighbour's",
    [](const evidence& seen) {
      auto found = over(seen.report.bytes_loaded_by_kernels(), delivered(seen));
      return off(found, fmt::format("{} bytes are asked of L2 for each byte that a block gets",
                                    count_text(found.value)));
    }};

}  // namespace course::metrics

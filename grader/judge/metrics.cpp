/// @file
/// See metrics.hpp. What each metric counts stands in metrics/, by what it looks at.
#include "judge/metrics.hpp"

namespace course {

std::string_view name_of(origin which) {
  switch (which) {
    case origin::counters:
      return "counters";
    case origin::compiler:
      return "ptxas";
    case origin::occupancy:
      return "occupancy";
    case origin::calls:
      return "calls";
    case origin::speed:
      break;
  }
  return "speed";
}

std::string_view name_of(scope which) {
  switch (which) {
    case scope::total:
      return "total";
    case scope::worst_launch:
      return "worst launch";
    case scope::worst_line:
      break;
  }
  return "worst line";
}

std::string_view name_of(when_nothing which) {
  switch (which) {
    case when_nothing::met:
      return "met";
    case when_nothing::missed:
      return "missed";
    case when_nothing::inconclusive:
      break;
  }
  return "inconclusive";
}

namespace metrics {

// The judge fills in the speed: it has the clock, this has the counts.
const metric speed{
    "speed",      "of the baseline",          origin::speed,
    scope::total, when_nothing::inconclusive, "speed as a share of the baseline's in the same run",
    nullptr};

}  // namespace metrics

const std::vector<const metric*>& all_metrics() {
  using namespace metrics;
  static const std::vector<const metric*> all{&speed,
                                              &sector_use,
                                              &sector_use_loads,
                                              &sector_use_stores,
                                              &load_sectors,
                                              &load_sectors_per_fma,
                                              &load_bytes_per_fma,
                                              &load_bytes,
                                              &store_bytes,
                                              &dram_bytes,
                                              &dram_read_bytes,
                                              &l2_read_sectors,
                                              &rows_at_sectors,
                                              &load_requests_per_warp_of_outputs,
                                              &own_lines,
                                              &hinted_loads,
                                              &hinted_stream,
                                              &hinted_elsewhere,
                                              &loads_elsewhere,
                                              &persisting_window,
                                              &loads_in_flight,
                                              &link_bytes,
                                              &link_bytes_per_output,
                                              &global_atomics_per_block,
                                              &global_atomics_per_byte,
                                              &excess_wavefronts,
                                              &shared_through,
                                              &shared_of_loads,
                                              &shared_loads,
                                              &shared_load_bytes_per_output,
                                              &shared_exchanged,
                                              &shared_serial_loads,
                                              &shared_stores_per_warp,
                                              &shared_writes_per_warp,
                                              &shared_updates,
                                              &shared_bytes,
                                              &launched_shared_bytes,
                                              &local_bytes,
                                              &stack_frame,
                                              &spills,
                                              &constant_passes,
                                              &constant_words_per_warp,
                                              &filtered_fetches_per_output,
                                              &texels_by_hand,
                                              &async_loads,
                                              &bulk_loads,
                                              &bulk_stores,
                                              &tensor_loads,
                                              &tensor_stores,
                                              &tensor_swizzle,
                                              &tensor_row,
                                              &completions_per_barrier,
                                              &inits_per_barrier,
                                              &repeated_inits,
                                              &async_bytes_in_flight,
                                              &async_tiles_in_flight,
                                              &delivered_to_shared,
                                              &loads_of_delivered,
                                              &block_threads,
                                              &blocks,
                                              &threads_per_output,
                                              &lanes_per_load,
                                              &kernel_launches,
                                              &copies_up,
                                              &copies_down,
                                              &copy_calls,
                                              &left_allocated,
                                              &copy_overlap,
                                              &host_waits_between_copies,
                                              &prefetched_or_advised};
  return all;
}

}  // namespace course

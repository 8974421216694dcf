/// @file
/// Everything that a gate can look at: one object each, with its name, unit, origin, scope, and what it means when nothing was counted.
///
/// Shares are shares of the work that the contract requires, never of the requests that were made, so that clean dummy work, split
/// launches or many small lines dilute nothing. Waste is added up over all lines.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "records/verdict.hpp"

namespace course {

class device_report;
class problem;

/// Where a metric's figure comes from.
enum class origin {
  counters,   ///< the simulated GPU's counters, exact by their rules
  compiler,   ///< `ptxas -v` of kernels that were launched
  occupancy,  ///< the occupancy calculation for launches that were made
  calls,      ///< calls of the runtime: copies, launches, waits, allocations
  speed,      ///< time, measured or modelled
};
std::string_view name_of(origin which);

/// Over what a metric is taken.
enum class scope {
  total,         ///< all launches of the timed calls together
  worst_launch,  ///< the launch that comes off worst, of those that touch data
  worst_line,    ///< the source line that comes off worst
};
std::string_view name_of(scope which);

/// What it means that there was nothing to count: 0 of 0.
enum class when_nothing {
  met,           ///< another road is as good
  missed,        ///< the resource that the exercise is about was not used at all
  inconclusive,  ///< the figure should be there: nothing can be said
};
std::string_view name_of(when_nothing which);

/// What a metric is evaluated on.
struct evidence {
  const device_report& report;  ///< of the timed calls
  const device_report& before;  ///< of what came before them: set-up, and the judge's own preparations
  const problem& asked;
  std::string_view exercise;              ///< its name: lines of NAME.cu and NAME.cuh are the hand-in's own
  std::vector<std::uint64_t> sizes = {};  ///< what each call of `asked` returned as a size; 0 for other calls
};

/// What a metric found.
struct reading {
  double value = 0;
  bool counted = true;          ///< false: nothing of the kind happened
  std::string_view cause = {};  ///< of causes.def, for whoever misses a gate on it
  std::string sentence = {};    ///< what wastes, with its line; may be empty
  location at = {};
};

/// See the file's head.
struct metric {
  std::string_view name;  ///< an identifier: "excess_wavefronts"
  std::string_view unit;  ///< "wavefronts per request", "share", ...
  origin from = origin::counters;
  scope over = scope::total;
  when_nothing of_nothing = when_nothing::inconclusive;
  std::string_view explains;  ///< one sentence for tables and pages: what is counted
  reading (*evaluate)(const evidence&) = nullptr;
};

/// All metrics by name, for pages and tables.
const std::vector<const metric*>& all_metrics();

namespace metrics {

// --- speed
extern const metric speed;  ///< share of the baseline's speed, same run

// --- global memory; "required" bytes are the contract's
extern const metric sector_use;         ///< the worse of the next two
extern const metric sector_use_loads;   ///< required bytes / (required + wasted sectors x 32), loads
extern const metric sector_use_stores;  ///< the same for stores
extern const metric load_sectors;  ///< sectors loaded by any road, over those of the required bytes read once
extern const metric
    load_sectors_per_fma;  ///< sectors loaded by any road, over the multiply-adds of an amount in "FLOP"
extern const metric load_bytes_per_fma;  ///< bytes that lanes ask to load by any road, over the same
extern const metric load_bytes;  ///< bytes that kernels ask to load by any road, over the required bytes read
extern const metric store_bytes;  ///< bytes that kernels store by any road, over the required bytes written
extern const metric dram_bytes;   ///< bytes over the memory bus, over the required ones
extern const metric dram_read_bytes;  ///< bytes read over the memory bus, over the required bytes read
extern const metric l2_read_sectors;  ///< sectors read from L2, over those of the required bytes read once
extern const metric
    rows_at_sectors;  ///< share of rows that begin at a sector's start, by the pitch that a call returned
extern const metric
    load_requests_per_warp_of_outputs;  ///< global load requests for each 32 required output elements
extern const metric own_lines;          ///< share of the loaded bytes that lines of the hand-in ask for
extern const metric
    hinted_loads;  ///< share of the required bytes loaded with a streaming or evict-first hint
extern const metric hinted_stream;     ///< the same of the largest input alone
extern const metric hinted_elsewhere;  ///< share of what is loaded from anywhere else that has such a hint
extern const metric
    loads_elsewhere;  ///< bytes loaded from memory other than the largest input's, over the required bytes read
extern const metric
    persisting_window;  ///< L2 set aside, over the inputs but the largest, if a window over them is in force
extern const metric loads_in_flight;  ///< mean bytes a thread has outstanding when its warp first waits
extern const metric link_bytes;       ///< bytes that kernels move over the host link, over the required ones
extern const metric
    link_bytes_per_output;  ///< bytes over the host link, by kernels in whole sectors, copies and prefetches, for each output element
extern const metric global_atomics_per_block;  ///< lanes of global atomics over blocks that touch data
extern const metric global_atomics_per_byte;   ///< lanes of global atomics over required bytes read

// --- shared memory
extern const metric
    excess_wavefronts;  ///< shared wavefronts beyond the fewest, over required requests; loads and stores apart, the worse
extern const metric
    shared_through;  ///< the lesser of bytes brought to and taken from shared memory, by lanes or the copy engine, over the required bytes read
extern const metric
    shared_of_loads;  ///< the lesser of bytes brought to and taken from shared memory, over the bytes that kernels load
extern const metric
    shared_load_bytes_per_output;  ///< bytes loaded from shared memory for each output element
extern const metric
    shared_exchanged;  ///< bytes taken from shared memory that others brought, over bytes to be read
extern const metric
    shared_serial_loads;  ///< elements that a few lanes alone load from shared memory, of a block
extern const metric shared_stores_per_warp;  ///< store requests to shared memory, over warps that touch data
extern const metric
    shared_writes_per_warp;  ///< requests that store to shared memory or add to it, over warps that touch data
extern const metric
    shared_updates;  ///< lanes of shared-memory atomics and bytes loaded from shared memory, over the required bytes read
extern const metric shared_bytes;           ///< bytes that lanes load from and store to shared memory
extern const metric shared_loads;           ///< bytes loaded from shared memory, over the required bytes read
extern const metric launched_shared_bytes;  ///< static and dynamic bytes of a block, worst launch

// --- registers and local memory
extern const metric local_bytes;  ///< bytes of local memory that lanes load and store
extern const metric stack_frame;  ///< bytes, of launched kernels, by ptxas
extern const metric spills;       ///< bytes of spill loads and stores, of launched kernels, by ptxas

// --- constant and texture memory
extern const metric constant_passes;  ///< passes a request, worst line
extern const metric
    constant_words_per_warp;  ///< words that a warp asks constant memory for, by `__constant__` variables
extern const metric filtered_fetches_per_output;  ///< linear-filtered texture fetches for each output element
extern const metric
    texels_by_hand;  ///< bytes of image-sized memory loaded without a filter, over the required bytes read

// --- asynchronous copies
extern const metric
    async_loads;  ///< bytes loaded by cp.async, bulk or tensor copies, over the required bytes read
extern const metric bulk_loads;    ///< bytes loaded by bulk or tensor copies, over the required bytes read
extern const metric bulk_stores;   ///< bytes stored by bulk or tensor copies, over the required bytes written
extern const metric tensor_loads;  ///< bytes loaded by tensor copies, over the required bytes read
extern const metric tensor_stores;   ///< bytes stored by tensor copies, over the required bytes written
extern const metric tensor_swizzle;  ///< bytes by which the loads' tensor maps swizzle, the least
extern const metric tensor_row;      ///< bytes of the innermost row of the loads' boxes, the least
extern const metric
    completions_per_barrier;  ///< phases that an mbarrier completes, mean over the bytes that come by it
extern const metric inits_per_barrier;      ///< most inits of an mbarrier in a block
extern const metric repeated_inits;         ///< inits of an mbarrier that is fresh from the one before
extern const metric async_bytes_in_flight;  ///< mean bytes a block has outstanding while it works on a tile
extern const metric async_tiles_in_flight;  ///< mean asynchronous loads outstanding while a tile is worked on
extern const metric
    delivered_to_shared;  ///< bytes that land in a block's shared memory or that it reads in a neighbour's, over the required bytes read
extern const metric loads_of_delivered;  ///< bytes that kernels ask to load, over the bytes delivered so

// --- geometry: blocks that touch data
extern const metric block_threads;       ///< fewest threads of a block
extern const metric blocks;              ///< blocks of the largest launch
extern const metric threads_per_output;  ///< threads launched, over output elements
extern const metric lanes_per_load;  ///< most lanes of a load request to global or shared memory, worst line

// --- calls of the runtime
extern const metric kernel_launches;
extern const metric copies_up,
    copies_down;  ///< bytes copied host to device and back, over required bytes read and written
extern const metric copy_calls;                 ///< copies, of any kind
extern const metric left_allocated;             ///< bytes still allocated at the end, device and page-locked
extern const metric copy_overlap;               ///< share of copy time in which another engine works too
extern const metric host_waits_between_copies;  ///< host waits between the first copy and the last
extern const metric prefetched_or_advised;  ///< managed bytes prefetched or advised, over required bytes read

}  // namespace metrics

}  // namespace course

/// @file
/// How long a kernel lasts on the simulated device: computed from what it did (counts) and from how its blocks depend on
/// memory (sampled block times). A model, not a cycle simulation: it is right about *which* resource a kernel waits for
/// and by how much; timing/calibration.md says how far off it is on kernels measured on an H200.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/timing/device.hpp"

namespace simgpu::timing {

/// How long one sampled block would last alone on its SM [cycles], at three latencies of its loads.
struct SampledBlock {
  double cycles_at_l1 = 0, cycles_at_l2 = 0, cycles_at_dram = 0;
};

/// What a kernel did, summed over the launch unless stated otherwise.
struct Work {
  std::uint64_t blocks = 0;
  std::uint32_t warps_per_block = 1;
  std::uint32_t resident_blocks_per_sm = 1;

  double dram_read_bytes = 0, dram_write_bytes = 0;
  double dram_isolated_accesses = 0;  ///< accesses to one 64-byte half of a line and not to the other
  double l2_read_sectors = 0, l2_write_sectors = 0;
  double host_link_bytes = 0;       ///< read from or written to host memory by the kernel
  double store_sectors_max_sm = 0;  ///< sectors of stores that the busiest SM sent to L2
  double store_lines_max_sm = 0;    ///< 128-byte lines of each store request, summed, of the busiest SM
  double scattered_share = 0;  ///< share of the stores' sectors that coalesced stores would not need [0, 1]
  double atomics_on_one_address = 0;  ///< longest queue of atomics at one address [operations]
  double atomic_lanes = 0;            ///< atomics and reductions that reach L2 one by one
  double atomic_sectors = 0;          ///< sectors of atomics and reductions that L2 carries out

  double data_wavefronts_max_sm = 0;  ///< shared + global + local wavefronts of the busiest SM
  double tag_wavefronts_max_sm = 0;   ///< tag-stage wavefronts of the busiest SM
  double global_requests_max_sm = 0;  ///< global and local requests of the busiest SM

  /// Issue slots of the busiest SM by pipe [warp instructions].
  double instructions_max_sm = 0;
  double fp32 = 0, fp64 = 0, integer = 0, special = 0, conversion = 0;  ///< of the whole launch
  double multiply = 0;      ///< integer multiplications, of the whole launch; not in `integer`
  double instructions = 0;  ///< of the whole launch, to share the pipes' counts out to SMs

  /// Share of the loads' sectors that L1 did not have, and that L2 did not have either. [0, 1]
  double l1_miss_share = 1, l2_miss_share = 1;
  /// Share of the load instructions of the kernel's text that went, in the main, to L2 or beyond; to DRAM. [0, 1]
  double l1_miss_sites = 1, l2_miss_sites = 1;
  std::vector<SampledBlock> samples;  ///< empty: latency is left out of the model
};

/// What bounds a kernel.
enum class Bound : std::uint8_t { dram, l2, l1tex, issue, latency, block_launch, atomics, link, launch };

/// The word for a bound in reports: "dram", "l2", "l1tex", "issue", "latency", "block launch", "atomics", "host link", "launch".
std::string_view name_of(Bound bound) noexcept;

/// Modelled time and its parts. [seconds]
struct KernelTime {
  double total = 0;
  Bound bound = Bound::launch;
  double launch = 0, dram = 0, l2 = 0, l1tex = 0, issue = 0, latency = 0, block_launch = 0, atomics = 0,
         link = 0;
};

/// The constants of the model that were set by comparing it with measured kernels (calibration.md), in one place.
struct ModelConstants {
  double dram_latency_cycles = 790;  ///< load to use from DRAM, lightly loaded
  double sampled_l1_cycles = 34;     ///< what the scoreboard took for L1 (exec/executor.hpp)
  double sampled_l2_cycles = 262;    ///< ... for L2
  double sampled_dram_cycles = 600;  ///< ... for DRAM
  double block_turnover_seconds =
      175e-9;  ///< to start a block in place of one that ended, its stores drained
  double warp_turnover_seconds =
      7.4e-9;  ///< ... more for each warp of the block, of which the slowest counts
  double block_start_interval = 80.5e-9;  ///< an SM is given a new block at most this often [s]
  double mix_penalty = 0.124;  ///< lost share of DRAM bandwidth at equal reads and writes is half of this
  double isolated_access_bytes = 32;  ///< what an access to half a line costs DRAM beyond its bytes
  double queue_exponent = 2.4;  ///< of the sum of waits: 1 would be no overlap at all, infinity a perfect one
  double soft_dram = 1.10;      ///< DRAM's rate in that sum is this much better than its ceiling
  double burst = 1.45;     ///< a block's accesses come in bursts: it waits this often for its own wavefronts
  double loop_levels = 6;  ///< a block that waits for memory more often than this is a loop ...
  double loop_dram = 0.935;  ///< ... and loops reach this share of DRAM's ceiling: their blocks drift apart
  double l2_bytes_per_cycle_sm = 37;
  double scattered_sector_cycles = 1.6;  ///< an SM's cycles for a sector of a scattered store ...
  double scattered_line_cycles = 2.4;    ///< ... and for each line that such a store touches
  double host_link_hz = 51e9;            ///< zero-copy reads of the whole card [bytes/s]
  double lsu_request_cycles = 0.8;       ///< extra cycles of the load-store unit per global or local request
  double atomic_same_address_hz = 0.57e9;  ///< atomics that one address takes, on the whole card [1/s]
  double miss_weight = 8;  ///< one miss makes about this many neighbouring requests wait as long
};

/// @return the modelled time of one launch.
KernelTime kernel_time(const Device& device, const Work& work, const ModelConstants& constants = {});

}  // namespace simgpu::timing

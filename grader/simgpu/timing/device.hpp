/// @file
/// What the simulated device is: one slice of an H200, or of another card (cards.hpp). The number of SMs, the L2 and every bandwidth are
/// divided by the slice;
/// latencies are kept, so that a problem that a laptop can interpret meets the same limits as a problem `slice` times larger
/// does on the whole card.
#pragma once

#include <cstdint>
#include <string>

#include "simgpu/timing/host_costs.hpp"

namespace simgpu::timing {

/// Constants of a simulated device. Bandwidths are those of the slice. [bytes, seconds, bytes per second]
struct Device {
  // --- what it is ---
  std::string card = "h200", name = "H200";
  bool calibrated = true;  ///< false: times come from public figures, and were compared with nothing
  std::uint32_t major = 9, minor = 0;  ///< compute capability
  std::uint32_t slice = 12;            ///< the whole card is this many times larger
  std::uint32_t sm_count = 11;         ///< 132 / 12
  double clock_hz = 1.98e9;            ///< SM clock, measured
  std::uint64_t l2_bytes = 60ull * 1024 * 1024 / 12;
  std::uint64_t memory_bytes =
      150'109'880'320ull / 12 / (2u << 20) * (2u << 20);  ///< 139.8 GiB, in pages of 2 MiB

  // --- occupancy, per SM ---
  std::uint32_t threads_per_sm = 2048;
  std::uint32_t warps_per_sm = 64;
  std::uint32_t blocks_per_sm = 32;
  std::uint32_t registers_per_sm = 65'536;
  std::uint32_t register_granule = 256;  ///< registers are given to a warp in units of this many
  std::uint32_t registers_per_thread_max = 255;
  std::uint32_t threads_per_block_max = 1024;
  std::uint32_t shared_per_sm = 228 * 1024;
  std::uint32_t shared_per_block_optin = 227 * 1024;
  std::uint32_t shared_per_block_default = 48 * 1024;
  std::uint32_t shared_reserved_per_block = 1024;  ///< taken by the system from each resident block's share
  std::uint32_t shared_granule = 128;
  std::uint32_t l1_and_shared_bytes = 256 * 1024;

  // --- device memory ---
  double memory_clock_hz = 3.201e9;      ///< data moves at both edges of it
  std::uint32_t memory_bus_bits = 6016;  ///< of the whole card
  double persisting_l2_share = 0.625;    ///< of the L2, that may be set aside
  std::uint32_t copy_engines = 3;
  std::uint32_t fp32_lanes = 128;     ///< single-precision multiply-adds a cycle and SM
  std::uint32_t float_to_double = 2;  ///< ... for each one in double precision
  /// Multiply-adds of halves a cycle and SM that the tensor cores do, beside what each instruction costs whatever its depth; other types by their share (lower/decode_tensor.cpp).
  double tensor_halves = 1736;
  bool ecc = true;
  /// Rates of the whole card [bytes/s]: see the functions below, and links.hpp.
  double card_dram_peak = 4.814e12, card_copy_ceiling = 4.184e12, card_dram_one_way = 4.46e12,
         card_dram_fill = 4.566e12;
  double card_l2_atomic_sectors = 91e9;  ///< of the whole card's L2, each with atomics of one request [1/s]
  std::uint32_t card_l2_slices = 96;     ///< parts of the whole card's L2 that work side by side
  double l2_lone_sector_cycles =
      1.46;  ///< of an SM: for a sector from L2 whose neighbour in the same 64 bytes is not read
  // What an SM asks of the shared memory of other blocks of a cluster goes out line by line. [cycles]
  double remote_line_cycles = 3.4;        ///< of a load or an atomic
  double remote_sector_cycles = 2.35;     ///< ... for each sector of the line, if that is longer
  double remote_store_line_cycles = 1.8;  ///< of a store
  double remote_lane_cycles = 0.5;        ///< of an atomic, for each lane beyond a line's first
  double remote_turn_cycles = 7.5;        ///< ... and for each lane more on a line's busiest address
  double remote_part_cycles = 29;  ///< if a request's lanes go to several blocks: for each beyond the first
  double remote_served_line_cycles = 2.1;  ///< of the SM that has the line
  double remote_latency_cycles = 205;      ///< until a load of one line is answered
  double fence_cycles = 450;        ///< a fence beyond the block waits so long, even if nothing was stored
  double remote_loop_cycles = 640;  ///< until a sum that is a loop of compare and swap is done
  double remote_loop_turn_cycles =
      443;  ///< ... and for each lane more on the word, of whichever warp and block
  double bulk_l2_latency_cycles = 400;  ///< until a bulk copy has landed that the L2 answers, small and alone
  double card_copy_rows =
      1.641e12;  ///< of copies of rows that do not lie side by side, within the device [bytes/s]
  double link_up = 55.0e9, link_down = 55.2e9, pageable_up = 11.1e9, pageable_down = 12.4e9, peer = 371e9;
  double link_rows = 0.887;  ///< share of link_up and link_down that rows reach that do not lie side by side

  /// Bandwidth of the datasheet. [bytes/s]
  double dram_peak() const noexcept { return card_dram_peak / slice; }
  /// What a float4 copy of 512 MB arrays reaches: the ceiling to which measured shares refer. [bytes/s]
  double copy_ceiling() const noexcept { return card_copy_ceiling / slice; }
  /// What a kernel reaches that only reads or only writes, before the read/write mix penalty. [bytes/s]
  double dram_one_way() const noexcept { return card_dram_one_way / slice; }

  /// Cycles that 64 multiply-adds of halves keep the tensor core of one of four schedulers.
  double tensor_cycles() const noexcept { return 4 * 64 / tensor_halves; }

  /// Sectors a second that the L2's units for atomics take, one request's lanes in a sector together.
  double l2_atomic_sectors() const noexcept { return card_l2_atomic_sectors / slice; }

  double l2_slices() const noexcept { return static_cast<double>(card_l2_slices) / slice; }

  /// Warp instructions a cycle and SM of the units for single and double precision.
  double fp32_warps() const noexcept { return fp32_lanes / 32.0; }
  double fp64_warps() const noexcept { return fp32_warps() / float_to_double; }

  /// Compute capability times ten: 90.
  std::uint32_t arch() const noexcept { return major * 10 + minor; }

  // --- launch ---
  double launch_seconds = 2.2e-6;         ///< what an empty kernel costs in a stream, back to back
  double idle_launch_seconds = 7.136e-6;  ///< ... between two events, in a stream that had nothing to do
  HostCosts host;                         ///< what is around the kernels
  /// From the call of a launch until an idle device begins with it; work that is under way hides it. [seconds]
  double start_latency() const noexcept { return idle_launch_seconds - launch_seconds; }

  /// @return seconds for @p cycles of the SM clock.
  double seconds(double cycles) const noexcept { return cycles / clock_hz; }
};

}  // namespace simgpu::timing

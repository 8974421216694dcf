/// @file
/// How long a kernel lasts on the simulated device: computed from what it did (counts) and from how its blocks depend on
/// memory (sampled block times). A model, not a cycle simulation: it is right about *which* resource a kernel waits for
/// and by how much; timing/calibration.md says how far off it is on kernels measured on an H200.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simgpu/timing/device.hpp"
#include "simgpu/timing/use.hpp"

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
  double dram_row_openings = 0;       ///< such writes to rows that no recent one went to
  double l2_read_sectors = 0, l2_write_sectors = 0;
  double l2_lone_sectors = 0;     ///< of those read: the other one of the same 64 bytes was not asked for
  double host_link_bytes = 0;     ///< what reads and writes of the host's memory cost the link
  double fault_bytes = 0;         ///< pages of managed memory that faults bring
  double fault_runs = 0;          ///< pieces in which they lie, beyond the first of an allocation
  double store_lines_max_sm = 0;  ///< 128-byte lines of each store request, summed, of the busiest SM
  double local_parts_max_sm = 0;  ///< sectors of local memory that the busiest SM stored in part
  double part_lines =
      0;  ///< 128-byte lines that stores write in the main in parts of sectors, request by request
  double part_sectors = 0;  ///< ... sectors of those lines
  double remote_cycles_max_sm =
      0;  ///< of the way to other blocks' shared memory, of the SM that asks or answers most
  double atomic_line_cycles = 0;       ///< how long the busiest line of L2 carries out atomics [cycles]
  double atomic_line_mean_cycles = 0;  ///< ... and one of them on the average
  double atomic_lines = 0;             ///< how many there are
  double atomic_replies = 0;           ///< of atomic_sectors: those whose results are used
  double before_atomics = 0;           ///< of what a warp executes, the part before the first of them [0, 1]
  double atomic_cycles = 0;            ///< ... and all of L2's units for atomics together
  double atomic_sectors = 0;           ///< sectors of atomics and reductions that L2 carries out

  double data_wavefronts_max_sm = 0;    ///< shared + global + local wavefronts of the busiest SM
  double shared_wavefronts_max_sm = 0;  ///< those of them that are of shared memory
  double line_passes_max_sm = 0;        ///< line_cycles_of() of each request of loads and stores, summed
  double load_lines_max_sm =
      0;  ///< 128-byte lines of each load, atomic and texture request, of the busiest SM
  double load_tags_max_sm = 0;        ///< ... passes through the tag stage that they take, of the busiest SM
  double fill_halves_max_sm = 0;      ///< 64-byte halves of lines that the L2 sends to the busiest SM
  double constant_passes_max_sm = 0;  ///< of requests for several words of constant memory, of the busiest SM
  /// Pieces of 8 bytes of constant memory that its warps read into uniform registers, and the bytes over which these lie.
  double uniform_pieces_max_sm = 0, uniform_bytes = 0;
  double texture_cycles_max_sm = 0;  ///< of the busiest SM's texture unit

  /// Issue slots of the busiest SM by pipe [warp instructions].
  double instructions_max_sm = 0;  ///< of an SM all of whose schedulers have as much to do as the busiest
  double tensor = 0;               ///< of matrix products, in 64 multiply-adds of halves
  double fp32 = 0, fp64 = 0, integer = 0, special = 0, conversion = 0;  ///< of the whole launch
  double bank_waits =
      0;  ///< cycles that multiply-adds wait for operands, one each, in which their scheduler issues nothing
  double adder = 0;         ///< sums of integers, which both kinds of units do; in neither
  double multiply = 0;      ///< integer multiplications, of the whole launch; not in `integer`
  double instructions = 0;  ///< of the whole launch, to share the pipes' counts out to SMs

  /// Share of the loads' sectors that L1 did not have, and that L2 did not have either. [0, 1]
  double l1_miss_share = 1, l2_miss_share = 1;
  /// Share of the load instructions of the kernel's text that went, in the main, to L2 or beyond; to DRAM. [0, 1]
  double l1_miss_sites = 1, l2_miss_sites = 1;
  std::vector<SampledBlock> samples;  ///< empty: latency is left out of the model
  double waiting_warps =
      64;  ///< of an SM: those that wait for memory one beside the other, copies under way included
  double replayed_cycles =
      0;  ///< an SM's time for its blocks if L2 and DRAM are never busy (replay.hpp); 0: not known
  double replayed_alone_cycles = 0;  ///< ... if its warps do not stand in each other's way, either
  double clock_cycles = 0;           ///< that its own clocks have shown to pass: it lasts no shorter
  double grid_barriers = 0;          ///< of the whole grid, that each block comes to
  bool looks_back = false;           ///< its blocks wait for what blocks before them publish
};

/// What ptxas spilled, which the text does not show.
struct Spills {
  double bytes = 0;        ///< of the code's stores and loads, for each thread that passes them once
  double frame_bytes = 0;  ///< a thread's
  double passes = 1;       ///< how often a warp executes an instruction of its code, on the average
  double l1_bytes = 0;     ///< what the launch leaves the cache of an SM
  double threads_per_block = 1;
};
/// Adds their way through the load-store unit, and what the L1 cannot hold of them. Stores go on to the L2, as all of local memory's do.
void add_spills(Work& work, const Device& device, const Spills& spills);

/// What bounds a kernel.
enum class Bound : std::uint8_t {
  dram,
  l2,
  l1tex,
  constant,
  texture,
  issue,
  latency,
  block_launch,
  atomics,
  link,
  page_faults,
  launch,
};

/// The word for a bound in reports: "dram", "l2", "l1tex", "constant cache", "texture unit", "issue", "latency",
/// "block launch", "atomics", "host link", "page faults", "launch".
std::string_view name_of(Bound bound) noexcept;

/// Modelled time and its parts. [seconds]
struct KernelTime {
  double total = 0;
  Bound bound = Bound::launch;
  double launch = 0, dram = 0, l2 = 0, l1tex = 0, constant = 0, texture = 0, issue = 0, latency = 0,
         block_launch = 0, atomics = 0, link = 0, page_faults = 0;
};

/// @return what a launch of @p blocks keeps busy of the device, that lasts as long as @p time says.
Use use_of(const Device& device, const KernelTime& time, std::uint64_t blocks) noexcept;

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
  double cluster_barrier_cycles =
      350;  ///< from a cluster's last arrival until its blocks go on, as its own clocks show it
  double cluster_turnover_seconds =
      0.9e-6;  ///< ... more for a block of a cluster, which begins when all its blocks have room
  double look_back_cycles = 1500;  ///< that a block waits which looks back at many blocks at once ...
  double look_back_one_cycles =
      300;  ///< ... and for each look at one block, times the slice: on a whole card it is as much further to one that knows all
  double block_start_interval = 80.5e-9;  ///< an SM is given a new block at most this often [s]
  double first_block_cycles = 20;         ///< the blocks that fill an SM begin so many cycles apart ...
  double first_warp_cycles = 6;           ///< ... or so many for each of their warps
  double mix_penalty = 0.124;  ///< lost share of DRAM bandwidth at equal reads and writes is half of this
  double isolated_access_bytes = 32;  ///< what an access to half a line costs DRAM beyond its bytes
  double row_opening_bytes = 133;     ///< ... more, if it is written, and opens a row of DRAM for itself
  double queue_exponent = 2.4;  ///< of the sum of waits: 1 would be no overlap at all, infinity a perfect one
  double queue_warps = 64;      ///< ... with so many warps; a single one waits for one thing after the other
  double pipe_exponent = 6;     ///< the same of an SM's pipes, which overlap nearly perfectly
  double late_atomics_exponent = 1.6;  ///< the same of a wave of blocks and of the atomics that they end with
  double replayed_burst = 1;  ///< the same, of global memory, where the rest of the waiting was replayed
  double soft_dram = 1.13;    ///< DRAM's rate in that sum is this much better than its ceiling
  double burst = 1.45;     ///< a block's accesses come in bursts: it waits this often for its own wavefronts
  double loop_levels = 6;  ///< a block that waits for memory more often than this is a loop ...
  double loop_dram = 0.935;  ///< ... and loops reach this share of DRAM's ceiling: their blocks drift apart
  double l2_bytes_per_cycle_sm = 37;
  double write_sector_cycles = 1.36;  ///< of a slice of the L2, for a sector that is written
  double part_line_cycles = 1.6;      ///< ... for a line that is written in parts of sectors ...
  double part_sector_cycles = 1.27;   ///< ... and for each sector of it, beside that
  double partial_store_cycles =
      0.5;  ///< of the load-store unit for a sector of global memory into which bytes are stored in part
  double local_part_cycles = 2.2;  ///< ... and for a sector of local memory that is stored in part
  double host_link_hz = 51e9;      ///< zero-copy reads of the whole card [bytes/s]
  double page_fault_hz = 7.5e9;    ///< demand faults of the whole card: 6 to 8 were measured [bytes/s]
  double line_cycles =
      0.4;  ///< of the load-store unit for each line of a global or local request, beyond its wavefronts
  double hit_line_cycles = 0.32;  ///< ... that the L1 has (naive products: 0.69 of a plain tile on an H200)
  double hit_more_line_cycles = 0.25;  ///< ... and of the third and later ones of a load
  double load_tag_cycles = 1;          ///< of the tag stage, for each pass of a request
  double fill_half_cycles = 1;         ///< of the way from the L2, for each half of a line
  double constant_pass_cycles = 2.4;   ///< of the constant cache, for each word of a request for several
  /// The cache of what goes into uniform registers: what it keeps, how fast a larger table loses it, and what a miss takes of its SM, and
  /// what where up to so many blocks an SM begin together.
  double uniform_cache_bytes = 472, uniform_cache_exponent = 2.5, uniform_miss_cycles = 22;
  double uniform_in_step_cycles = 2, uniform_in_step_blocks = 4;
  double atomic_reply_cycles =
      0.43;  ///< of an SM's way from the L2, for each sector of an atomic whose result is used
  double fixed_atomic_lines =
      64;  ///< atomics on more groups of lines than these belong to a table that shrinks with the slice
  double atomic_sector_cycles = 1.27;  ///< of a unit for atomics of L2; as observe/traffic.cpp has it
  double shared_atomic_cycles = 1.89;  ///< of the load-store unit, for an atomic of shared memory at least
  double shared_loop_cycles =
      9.1;  ///< ... for one that is a loop of compare and swap, each lane its own bank
  double shared_loop_turn_cycles = 13.8;  ///< ... and for each turn more
  double miss_weight = 8;  ///< one miss makes about this many neighbouring requests wait as long
};

/// What the lines of a request cost the load-store unit, beyond its wavefronts. [cycles]
struct LineCycles {
  double first = 0.4;   ///< where they are wavefronts of their own, the others a part of it
  double second = 0.4;  ///< in the same wavefront
  /// ... and each one more. The L1 looks up four at a time: 32 lines that it has, a bank each, take 8.8 cycles of an H200, 16 take 4.8, 8 take 2.95;
  /// 32 lanes anywhere in 32 kB, by 4, 8 or 16 bytes, 10.4.
  double more = 0.4;
};

/// @return cycles of the load-store unit for the lines of a request, beyond its wavefronts. A line that has a wavefront for itself takes less: a
/// request of 32 lines in as many wavefronts takes 38.4 cycles on an H200 with its store (transposes that read columns), one of two lines in one 1.8.
double line_cycles_of(const LineCycles& line, double lines, double wavefronts) noexcept;

/// @return cycles that loads of other blocks' shared memory take on the way: line by line, or sector by sector where lanes lie side by side.
double remote_load_cycles(const Device& device, double lines, double sectors) noexcept;

/// @return the modelled time of one launch.
KernelTime kernel_time(const Device& device, const Work& work, const ModelConstants& constants = {});

}  // namespace simgpu::timing

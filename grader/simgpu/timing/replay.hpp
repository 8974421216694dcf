/// @file
/// Replays sampled blocks on one SM: as many as are resident at once, one after the other in each place, through the SM's
/// schedulers, which serve older blocks first, its pipes and its load-store unit. So the phases of a block between barriers, chains
/// of waits, and the tails of small grids overlap as far as they do, and no further. What all SMs share (L2, DRAM) is not in it: a
/// load takes the latency of where it was found.
#pragma once

#include <cstdint>
#include <vector>

#include "simgpu/exec/trace.hpp"
#include "simgpu/timing/model.hpp"

namespace simgpu::timing {

/// What one execution of an instruction costs, on the average of the launch.
struct SiteCost {
  double wavefronts = 1;                ///< through the data stage
  double lines = 1;                     ///< 128 bytes each
  double beyond_l1 = 1, beyond_l2 = 1;  ///< share of executions that wait for L2 or DRAM; for DRAM [0, 1]
  double of_host = 0;                   ///< ... for the host's memory, of those that wait for DRAM
  double remote = 0;         ///< cycles of the way to the shared memory of other blocks of the cluster
  double remote_wait = 0;    ///< ... and that the warp waits longer, since its lanes go to several of them
  bool remote_loop = false;  ///< it is a loop of compare and swap: the warp waits for it at once
  double tags =
      1;  ///< passes through the tag stage of what the L1 has, and lines of which something comes from L2
  LineCycles line = {};
  double look_back = 0;  ///< that its warp waits for other blocks, beyond the latency
};

/// Of a slot, that a scheduler loses behind the branch of a loop's turn: by eight warps 1.4 in turns of four instructions, none in turns of 23 and more
/// (fixtures/h200_served.csv).
inline constexpr double kBehindBranch = 0.75;
/// ... behind what the special function unit does: its four lanes read and write registers for eight cycles, and other units stand meanwhile. Eight
/// roots among 121 instructions cost sixteen slots, one to eight among 64 multiply-adds one to three each (H200). An exact division's or root's cost
/// has it already.
inline constexpr double kBehindSpecial = 1.5;
inline constexpr std::uint32_t kApproximateIssues =
    5;  ///< machine instructions that a value at once takes at most

struct Replay {
  std::vector<const exec::BlockTrace*> blocks;
  std::vector<SiteCost> sites;  ///< by site id
  std::uint64_t blocks_per_sm = 1;
  double instructions_per_block =
      0;  ///< of all blocks of the launch, the mean; 0: those that are replayed are like all
  double longest_warp =
      0;  ///< instructions of the launch's longest warp; 0: none is longer than those that are replayed
  std::uint32_t resident = 1;
  double l1_latency = 34, l2_latency = 262, dram_latency = 790;  ///< [cycles]
  double host_latency = 1930;                                    ///< of memory of the host [cycles]
  double copy_latency = 790;                                     ///< of a wait for the copy engine [cycles]
  double remote_latency = 205;  ///< of one line from another block's shared memory [cycles]
  double fence_cycles = 450;    ///< until a fence beyond the block lets its warp go on, if no other fences
  double shortest_block =
      0;                ///< what its blocks do one after the other in other blocks' shared memory [cycles]
  double turnover = 0;  ///< from a block's end to the start of the next in its place [cycles]
  double start_interval = 0;  ///< between two starts [cycles]
  double first_interval = 0;  ///< ... as long as the SM has room that nobody has had yet
  bool own_floats = true;     ///< a scheduler has a unit for single precision beside its multipliers
  double fp64_cycles = 2;  ///< that a warp's instruction keeps its scheduler's unit for double precision busy
  double tensor_cycles = 0.147;        ///< ... and its tensor core, for 64 multiply-adds of halves
  double barrier_cycles = 2;           ///< of the barrier unit, for each warp that arrives
  double barrier_of_block_cycles = 1;  ///< ... and for each block that has met
  double barrier_met_cycles = 1.15;    ///< of the load-store unit, for each scheduler whose warps have met
};

/// Cycles until an SM's last block has ended; 0 if nothing was traced.
struct Replayed {
  double cycles = 0;
  double alone =
      0;  ///< ... if no warp ever stood in another one's way: what is left is waiting for results and for each other
};
Replayed replay(const Replay& input);

}  // namespace simgpu::timing

/// @file
/// Runs one kernel launch: blocks on simulated SMs, warps in blocks, lanes in warps, in an order that is the
/// same every time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "simgpu/exec/trace.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/memory/device_memory.hpp"
#include "simgpu/observe/observer.hpp"

namespace simgpu::exec {

/// Name of the allocation that holds a cooperative launch's barrier: traffic to it is not the program's.
inline constexpr const char* kGridWorkspace = "grid barrier";

/// Order in which blocks start and warps take turns. A result that depends on it is a race.
enum class Order : std::uint8_t { forward, reversed };

/// Which build of the lane loops executes a launch; the results are the same to the bit, but for the approximate
/// functions' last places.
enum class LaneBuild : std::uint8_t {
  best,      ///< the fastest that this host can run
  baseline,  ///< the one that any host can run: for tests
};

/// How fast the clocks of a kernel that reads one go on; see warp_clock.hpp. Latencies are from use to use: a chain of loads, each with
/// the address that the one before brought. [cycles of the SM's clock, unless it says otherwise]
struct ClockRates {
  double hz = 1.98e9;
  double begin = 0;  ///< of the launch
  /// H200, chains in one thread (results/): 23.0; 35.7 and 36.4, in both of which one hop of 128 was the L2's; 280 to 288; 684 to 701.
  double shared = 23, l1 = 34, l2 = 284, dram = 690;
  double barrier = 21, cluster_barrier = 350;  ///< after the last warp's arrival
  double fp32_cycles = 1, fp64_cycles = 2;     ///< that an instruction keeps its scheduler's unit busy
  double tensor_cycles = 0.147;                ///< ... for 64 multiply-adds of halves
  // Of shared memory of other blocks: see timing::Device.
  double remote_line = 3.4, remote_store_line = 1.8, remote_lane = 0.5, remote_turn = 7.5,
         remote_latency = 205;
  double l2_bytes = 37, dram_bytes = 187;  ///< of an SM's way to the L2; of all DRAM [bytes a cycle]
  double block_interval = 0, block_turnover = 0, warp_turnover = 0;  ///< see timing::ModelConstants
};

/// One launch.
struct Launch {
  const lower::Kernel* kernel = nullptr;
  observe::Dim3 grid, block, cluster;
  std::uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  ///< image of the parameter space, laid out by `Kernel::parameters`
  std::uint32_t sm_count = 11;
  std::uint32_t resident_blocks_per_sm = 1;  ///< from occupancy; at least 1
  std::uint64_t places =
      0;  ///< blocks that can be resident at once beside other kernels; 0: all that the above allow
  bool cooperative = false;  ///< all blocks are kept alive at once
  Order order = Order::forward;
  std::uint64_t warp_instruction_limit = 0;  ///< 0: none; beyond it the launch ends with a `runaway` finding
  /// ptxas reports no stack frame: what PTX has in local memory became registers, and its accesses are no traffic.
  bool frameless = false;
  /// After a mistake of bounds or of order the launch goes on; see Machine::passes().
  bool keep_going = false;
  LaneBuild lanes = LaneBuild::best;
  std::uint32_t scoreboard_every = 0;  ///< time the warps of every n-th block (see WarpTime); 0: none
  ClockRates clock;
};

/// What the scoreboard found for a sampled block: how long it would last alone on its SM, as a function of
/// load latency. See timing/model.hpp for how it is used.
struct BlockTime {
  double cycles_at_l1 = 0;    ///< critical path of the block when every load takes the L1 latency [cycles]
  double cycles_at_l2 = 0;    ///< ... the L2 latency
  double cycles_at_dram = 0;  ///< ... the unloaded DRAM latency
  double load_bytes = 0;      ///< bytes that the block's global loads asked for
  std::uint64_t waiting_bytes =
      0;  ///< of loads in flight when a warp first waited for one, summed; see LoadsInFlight
  std::uint64_t waiting_threads = 0;  ///< that had them in flight then, summed
  BlockTrace trace;                   ///< for a replay; empty once the launch has kept enough
};

/// Executed once each, by class: what the issue and pipe limits are computed from.
struct InstructionMix {
  std::uint64_t warp_instructions = 0;  ///< all, predicated-off ones included
  std::uint64_t fp32 = 0, fp64 = 0, integer = 0, special = 0, conversion = 0, memory = 0, control = 0,
                shuffle = 0, other = 0;
  std::uint64_t adder = 0;       ///< sums that the integer units and the multipliers can do alike; in neither
  std::uint64_t bank_waits = 0;  ///< cycles that multiply-adds wait for their operands, one each; in no other
  std::uint64_t tensor = 0;      ///< work of matrix products, in 64 multiply-adds of halves; in no other
  std::uint64_t multiply = 0;    ///< integer multiplications, which use the units of fp32; not in `integer`
  /// Machine instructions beyond one each: more of divisions, in the classes and not in the sum; fewer of joined accesses.
  std::int64_t expanded = 0;
  /// Of instructions that a warp jumps over, and the machine executes with all lanes off (lower::kBecomesPredicates); not in warp_instructions, but in the
  /// classes and in `expanded`.
  std::uint64_t off = 0, off_memory = 0;
};

struct Result {
  bool ok = true;  ///< false: the launch stopped at an error finding
  InstructionMix mix;
  std::vector<std::uint64_t> site_executions;  ///< per site id: warp executions
  std::vector<BlockTime> sampled_blocks;
  std::uint64_t max_warp_instructions_per_scheduler = 0;
  /// Of one warp, turns apart in which it looked at what others may change.
  std::uint64_t max_warp_instructions = 0;
  /// What a clock has shown to pass (Clocks::longest_shown): the launch lasts no shorter.
  double clock_cycles = 0;
  /// What warps slept by __nanosleep: the longest way through blocks that one place has had.
  double slept_seconds = 0;
};

/// What a kernel begins that is to be done once its grid has ended.
struct ChildLaunch {
  std::uint64_t function = 0;  ///< lower::Kernel::address
  observe::Dim3 grid, block;
  std::uint32_t shared_bytes = 0;
  std::uint64_t stream = 0;  ///< as the kernel says
  std::vector<std::byte> parameters;
};
struct ChildCopy {
  std::uint64_t to = 0, from = 0, bytes = 0;
  std::uint32_t value = 0;
  bool fills = false;  ///< with `value`, from nowhere
  std::uint64_t stream = 0;
};
using ChildWork = std::variant<ChildLaunch, ChildCopy>;

/// Device-side services that the interpreter calls out to.
struct Services {
  std::function<void(std::string_view text)> print;  ///< one formatted printf call
  std::function<void(std::string_view text)>
      assertion;  ///< a line about an assertion that failed, for each thread
  /// Called now and then. @param begun blocks that have started so far.
  std::function<void(std::uint64_t warp_instructions, std::uint64_t begun)> progress;
  std::function<std::uint64_t(std::uint64_t bytes)> device_malloc;
  std::function<void(std::uint64_t address)> device_free;
  int device = 0, devices = 1;  ///< its number, and how many there are
  /// Of the kernel at an address, for those that launch it; nothing if there is none.
  std::function<std::optional<std::size_t>(std::uint64_t function)> parameter_bytes;
  /// @return a cudaError_t
  std::function<std::uint32_t(ChildWork)> begin_child;
  /// A condition of a graph. @return whether there is one with this handle.
  std::function<bool(std::uint64_t handle, std::uint32_t value)> set_condition;
};

/// Executes @p launch to its end, as a Run (run.hpp) that nobody else can help.
Result run(const Launch& launch, memory::DeviceMemory& memory,
           const std::vector<observe::Observer*>& observers, observe::Findings& findings,
           const Services& services);

}  // namespace simgpu::exec

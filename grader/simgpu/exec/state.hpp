/// @file
/// What exists while a kernel runs: the machine (one launch), blocks, warps, and the splits of a diverged
/// warp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "simgpu/async/bulk_copy.hpp"
#include "simgpu/async/copy_groups.hpp"
#include "simgpu/exec/executor.hpp"
#include "simgpu/exec/lane_shape.hpp"
#include "simgpu/lower/code.hpp"
#include "simgpu/observe/repeated_loads.hpp"

namespace simgpu::exec {

using lower::Ins;
using lower::MemoryOp;
using lower::Op;
using lower::Operand;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

inline constexpr u32 kFull = 0xFFFF'FFFFu;
/// What a read out of bounds gives where the launch goes on, over and over, from its first byte: not a number in every
/// floating-point type, 0xfffbfffb as a word, and as a signed number below zero, so that a loop up to it ends.
inline constexpr u16 kNothing = 0xFFFB;
inline constexpr u32 kNoRpc = 0xFFFF'FFFEu;

struct Warp;
struct Block;
struct Machine;
class Clocks;
class KeptRows;
class Scoreboard;
class StraightRuns;
class UnwrittenValues;
class WarpClock;

/// Executes one instruction for the lanes of @p mask (never 0, except for control instructions).
using Handler = void (*)(Warp&, const Ins&, u32 mask);

/// Registers of one activation of a function, for the lanes that called it together.
struct Frame {
  const lower::Function* function = nullptr;
  std::byte* rows = nullptr;
  u32 local_base = 0;  ///< where its `.local` variables begin in each thread's local memory
  u32 live = 0;        ///< lanes that have not returned yet
  u32 depth = 0;
  Frame* caller = nullptr;
  const lower::CallOp* call = nullptr;
  std::vector<std::byte> storage;
  std::array<u32, 32> stack{};  ///< Warp::stack when it was called
};

/// Lanes of a warp that run together.
struct Split {
  enum class State : u8 {
    running,
    gather,   ///< waits for other lanes at a *.sync instruction
    barrier,  ///< waits for the rest of its warp at an aligned barrier
    arrived,  ///< has arrived at a block barrier, waits for the block
    waiting,  ///< at an mbarrier or a cluster barrier; asked again in each turn of the block
  };
  u32 pc = 0, mask = 0, rpc = kNoRpc;
  s32 parent = -1;  ///< reconvergence entry, or -1
  Frame* frame = nullptr;
  State state = State::running;
  u32 want = 0;            ///< gather: lanes that have to come; arrived: barrier number
  bool timed_out = false;  ///< a try_wait that nobody will satisfy now gives up once
};

/// Where lanes that went different ways meet again.
struct Reconvergence {
  u32 pc = 0, mask = 0, arrived = 0;
  s32 parent = -1;
  Frame* frame = nullptr;  ///< of the code that goes on at pc
  bool call = false, used = false;
};

/// One warp.
struct Warp {
  Warp();
  ~Warp();
  /// Where operands of each kind begin, by the bits above lower::kRowBits: the frame of the current split, the launch's kept rows
  /// of this warp and of all, the constant pool. Less the operands' own offsets: see row().
  std::byte* base[8] = {};
  u32 pc = 0, mask = 0, rpc = kNoRpc;
  s64 budget = 0;  ///< instructions left in this quantum
  s64 turn = 0;    ///< instructions that this turn began with
  Machine* machine = nullptr;
  Block* block = nullptr;
  Scoreboard* scoreboard = nullptr;
  WarpClock* clock = nullptr;  ///< of a kernel that reads one
  bool timed = false;          ///< has one of these two
  u32 live = 0;                ///< lanes that have not exited
  u32 current = 0;             ///< index of the split whose pc, mask, rpc are above
  u32 spins = 0;               ///< impatience with lanes that wait to reconverge
  u32 hints = 0;               ///< spin hints in this quantum
  bool looked = false;         ///< at what others may change, since it last slept
  u64 slept = 0;               ///< by __nanosleep, but between two such looks [ns]
  s64 forfeited = 0;           ///< instructions of this turn given up
  u64 executed = 0;            ///< instructions, but in turns that it spent looking at what others may change
  enum class Status : u8 { ready, blocked, done } status = Status::done;
  bool waits = false;        ///< some split may be in state waiting
  bool met_cluster = false;  ///< some lane has had a cluster_ticket
  u32 threads = 0;           ///< lanes it started with
  std::unique_ptr<UnwrittenValues>
      unwritten,  ///< where registers hold values that nobody wrote; mostly nullptr
      undefined;  ///< ... and what came by shuffles from lanes that take no part
  observe::WarpId id;
  std::vector<Split> splits;
  std::vector<Reconvergence> meets;
  Frame* frame = nullptr;  ///< of the current split
  Frame kernel_frame;
  // What every turn looks at ends in here.
  std::byte* local = nullptr;  ///< local memory: lane after lane
  std::vector<std::byte> local_storage;
  std::deque<Frame> frame_store;
  std::vector<Frame*> free_frames;
  async::CopyGroups copies;
  async::BulkStores bulk_stores;
  std::array<u64, 32>
      cluster_ticket{};         ///< per lane: 1 + generation of the cluster barrier arrived at; 0: none
  std::array<u32, 32> stack{};  ///< per lane: bytes that alloca has given out

  template <class T>
  T* row(Operand o) const {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(base[o >> lower::kRowBits]) + o);
  }
  u32& predicate(Operand o) const { return *row<u32>(o); }
  /// Tells the host's caches that the warp will have its turn: all warps that are resident do not fit into the nearest. (Always inline: a
  /// compiler may take a function that does no more than this for one without effect.)
  [[gnu::always_inline]] void expect_turn() const {
    constexpr u32 kHostLine = 64, kLines = 6;  // up to what a turn looks at of the kernel's frame
    const char* const at = reinterpret_cast<const char*>(this);
    for (u32 line = 0; line < kLines; ++line) __builtin_prefetch(at + kHostLine * line, 1);
  }
  u32 thread_index(u32 lane) const { return id.warp * 32 + lane; }
};

/// When warps come to a barrier, by their clocks: an arrival takes six cycles, and they queue for it, two each. (H200, barriers of 1, 8
/// and 32 warps: 29.2, 39.2 and 87.3 cycles, of which 21 come after the last arrival.)
struct Meeting {
  static constexpr double kArrival = 6, kQueue = 2;
  double earliest = 0, latest = 0;
  u32 warps = 0;
  void come(double time) {
    earliest = warps == 0 ? time : std::min(earliest, time);
    latest = std::max(latest, time);
    ++warps;
  }
  /// When the last one's arrival has been noted.
  double end() const { return std::max(latest + kArrival, earliest + kQueue * warps); }
};

/// One of a block's sixteen barriers.
struct Barrier {
  u32 arrived = 0;   ///< threads
  u32 expected = 0;  ///< threads; 0: all that are alive
  u32 votes = 0, anded = 1, ored = 0;
  Meeting meeting;
};

/// Blocks that are resident together and can reach each other's shared memory. A launch without clusters has one for
/// each block.
struct Cluster {
  std::vector<Block*> blocks;  ///< by rank
  u32 arrived = 0;             ///< threads at the cluster barrier
  u64 generation = 0;          ///< cluster barriers completed
  u32 idle_turns = 0;          ///< of blocks, one after the other, in which no warp could run
  u32 timeouts = 0;            ///< times that waiting threads were let go since something last happened
  double latest = 0;           ///< when the latest so far came to the cluster barrier, by its clock
};

/// One resident block.
struct Block {
  observe::Dim3 index;
  u64 linear = 0;
  u32 sm = 0, slot = 0;
  std::size_t place = 0;  ///< the scheduler's number for (sm, slot)
  u32 warp_count = 0, live_threads = 0, live_warps = 0;
  bool sampled = false;
  bool traced = false;  ///< sampled, and its steps are kept
  /// Reasons to look at each access to its shared memory: asynchronous copies under way, and one for proxy fences.
  u32 pending_copies = 0;
  async::PendingWords pending_words;         ///< of the copies that its warps have begun
  std::unique_ptr<async::BlockAsync> async;  ///< where the kernel has mbarriers or bulk copies
  Cluster* cluster = nullptr;
  u32 rank = 0;         ///< in its cluster
  Cluster own_cluster;  ///< used by the block of rank 0
  std::vector<std::byte> shared;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, 16> barriers;
  u32 barriers_waited_at = 0;  ///< bit n: somebody may have arrived at barriers[n]
  std::vector<std::unique_ptr<Scoreboard>> scoreboards;
  std::vector<std::unique_ptr<WarpClock>> clocks;
  std::array<double, 3> settled{};  ///< sampled: time of the last barrier, per load latency [cycles]

  Block();
  ~Block();
};

/// What a site's accesses looked like of late.
struct alignas(64) SiteCache {
  u64 low = 0, high = 0;  ///< device addresses [low, high) of the allocation that it found last
  u64 delta = 0;          ///< host address - device address
  SiteShapes shapes;
  observe::RepeatedLoad* repeated = nullptr;  ///< the observer's, once one was told

  bool holds(u64 address, u64 bytes) const {
    return bytes <= high - low && address - low <= high - low - bytes;
  }
  void forget_allocation() { low = high = delta = 0; }
};

/// What calls of the CUDA runtime in a kernel leave behind.
struct DeviceRuntime {
  std::unordered_map<u64, ChildLaunch> begun;  ///< by the address of the parameters that are being stored
  u32 last_error = 0;                          ///< a cudaError_t
  u64 next_handle = 0x1000;                    ///< of streams and events
};

/// Accesses of one word of each lane, and counted loads of several, in straight stretches: handlers of their own, which want a word's row in Ins::d, and the
/// place in Machine::stretch_accesses in Ins::b.
enum class WordAccess : u8 { ld_global, st_global, ld_shared, st_shared, counted_ld_shared, count };
inline Handler handler_of(const Handler* handlers, WordAccess a) {
  return handlers[lower::kOpCount + static_cast<std::size_t>(a)];
}

/// Bits of Ins::aux2 of such accesses, beside a place in Machine::stretch_shapes.
enum WordFlag : u32 {
  kShapeSlots = 8,
  kLeadsShape = 0x10,       ///< the next ones with the same address register will lie like this one
  kFollowsShape = 0x20,     ///< this one lies like an earlier one
  kWideWordAddress = 0x40,  ///< the address register has 64 bits
  kBeginsCount = 0x80,      ///< the first of several loads of shared memory (CountedLoads)
  kEndsCount = 0x100,       ///< the last of them
  kPlusUniform =
      0x200,  ///< the address is the register's and one that all lanes have, in Ins::c (StraightRuns::fold_sums)
  kMachineLoads = 0x1'0000,  ///< times the number of loads that the machine makes of it
  kLaneBytes = 0x100'0000,   ///< times the bytes of each lane
};

/// Loads of shared memory in a stretch that an observer lets the interpreter count (observe/repeated_loads.hpp).
struct CountedLoads {
  observe::RepeatedLoads* by = nullptr;         ///< nullptr: all observers are told of each
  const observe::Observer* observer = nullptr;  ///< the same
  bool others = false;                          ///< there are observers beside it
  bool any = false;                             ///< some loads have been counted
  u64 wavefronts = 0, bytes = 0;

  void begin(const observe::WarpId& warp, const std::vector<observe::Observer*>& observers) {
    by = nullptr;
    for (observe::Observer* const o : observers)
      if (observe::RepeatedLoads* const counts = o->repeated_loads()) by = counts, observer = o;
    others = observers.size() > 1;
    if (by && !by->may_count(warp)) by = nullptr;
  }
  void end(const observe::WarpId& warp) {
    if (any) by->counted(warp, wavefronts, bytes);
    *this = {};
  }
};

/// One launch.
struct Machine {
  const Launch& launch;
  memory::DeviceMemory& memory;
  std::vector<observe::Observer*>& observers;
  observe::Findings& findings;
  const Services& services;
  const lower::Code& code;
  const std::vector<observe::Site>& sites;
  const lower::Function& entry;
  const Handler* handlers = nullptr;
  /// Divisions and roots with two ways by warps of sampled blocks, per site: all, and those that went the other (takes_other_way).
  std::vector<std::array<u64, 2>> ways;
  void count_way(u32 site, bool other) {
    if (site >= ways.size()) ways.resize(site + 1);
    ++ways[site][0];
    ways[site][1] += other;
  }
  /// @return the same share of @p n.
  u64 other_way(u32 site, u64 n) const {
    if (site >= ways.size() || ways[site][0] == 0) return 0;
    return static_cast<u64>(static_cast<double>(n) * static_cast<double>(ways[site][1]) /
                            static_cast<double>(ways[site][0]));
  }
  std::vector<u64> executions;  ///< per site, and one for hidden instructions; without those of `straight`
  StraightRuns* straight = nullptr;
  KeptRows* kept = nullptr;
  std::vector<SiteCache> caches;
  /// access_of() of the kernel's instructions: of MemoryOp first_prepared and on. What an execution adds is written over by the next.
  std::vector<observe::Access> prepared;
  u32 first_prepared = 0;
  /// Of a full warp's accesses in stretches, what those of several instructions have in common: so the host's nearest cache holds it once.
  std::vector<observe::Access> stretch_accesses;
  alignas(
      32) std::array<u64, 32> lanes{};  ///< room for the addresses of the access that observers are told of
  ShapeTable shapes;
  std::array<const LaneShape*, kShapeSlots> stretch_shapes{};  ///< of accesses of the stretch that runs
  CountedLoads counted;                                        ///< ... of its loads
  Result result;
  bool stop = false;
  /// Instructions have to be looked at one by one: `stop`, or some register holds a value that nobody wrote. Stays set.
  bool attention = false;
  bool any_observer = false;
  u64 instructions = 0;      ///< all, so far, by budget
  u64 clock_ahead = 0;       ///< what clocks show beyond their own: time in which nothing could happen
  Clocks* clocks = nullptr;  ///< of a kernel that reads one
  observe::AccessCost* cost = nullptr;  ///< ... where observers say what an access cost
  u32 shared_bytes = 0, local_bytes = 0;
  bool local_in_registers = false;  ///< see Launch::frameless
  u64 frame_bytes = 0;      ///< that called functions' registers take, in all warps [bytes of this process]
  bool uses_async = false;  ///< the kernel has mbarriers or bulk copies
  bool uses_bulk_stores = false;  ///< ... that read shared memory
  bool uses_copies = false;       ///< it has anything to do with asynchronous copies: else warps have none
  std::vector<u32> thread_rows;   ///< per warp of a block: %tid.x, .y, .z of its 32 lanes
  DeviceRuntime device_runtime;
  u64 grid_workspace = 0;  ///< device address of a cooperative launch's barrier
  std::array<std::array<std::byte, 32>, 32> lost_bytes{};  ///< see nowhere()

  Machine(const Launch& l, memory::DeviceMemory& m, std::vector<observe::Observer*>& o, observe::Findings& f,
          const Services& s);

  /// Adds a finding about @p lane of @p warp at @p ins; errors end the launch.
  void fault(Warp& warp, const Ins& ins, observe::FindingKind kind, u32 lane, std::string message,
             observe::Memory memory = observe::Memory::global, u64 address = 0, bool warning = false,
             u64 allocation = 0);
  /// The same for a mistake of bounds or of order, whose error does not end a launch that is to keep going.
  /// @return whether the launch goes on, with the access made or left out by the caller.
  bool passes(Warp& warp, const Ins& ins, observe::FindingKind kind, u32 lane, std::string message,
              observe::Memory memory = observe::Memory::global, u64 address = 0, u64 allocation = 0);
  /// The same for a mistake of which hardware says nothing: the launch goes on.
  void undefined(const Warp& warp, const Ins& ins, observe::FindingKind kind, u32 lane, std::string message);
  /// Bytes for a lane's access that is left out: who reads gets kNothing, and what is written is lost.
  std::byte* nowhere(u32 lane);
  /// "(3,0,0)"
  static std::string name_of(observe::Dim3 d);
  /// "Thread (3,0,0) of block (1,0,0)"
  static std::string who(const Warp& warp, u32 lane);
  const observe::Site* site_of(const Ins& ins) const {
    return ins.site < code.site_count ? sites.data() + ins.site : nullptr;
  }
  /// What every access of @p ins has in common.
  observe::Access access_of(const Ins& ins, const MemoryOp& m) const;
  /// Fills in `prepared` for the kernel's instructions.
  void prepare_accesses();
  observe::Dim3 thread_of(const Warp& warp, u32 lane) const;

 private:
  observe::Finding finding(const Warp& warp, const Ins& ins, observe::FindingKind kind, u32 lane,
                           std::string message, observe::Memory memory, u64 address) const;
  /// An error has ended the launch.
  void end(Warp& warp);
};

/// The table of handlers of one build of the lane loops; see handlers.hpp.
const Handler* handlers_of(LaneBuild lanes);

// run.cpp
/// Runs @p warp until its budget is used, it blocks or it is done.
void run_warp(Warp& warp);
/// Puts a warp at the kernel's first instruction.
void start_warp(Machine& machine, Block& block, Warp& warp, u32 index);

// splits.cpp
/// Lets another split run, if there is one; called where a thread seems to wait for others.
void spin_hint(Warp& warp);
/// Puts the current split's registers of state back into its entry.
void save_split(Warp& warp);
/// Makes split @p index the current one.
void load_split(Warp& warp, u32 index);
/// Chooses a split that can run. @return false if there is none; status is then blocked or done.
bool choose_split(Warp& warp);
/// Joins running splits that stand at the same place.
void merge_splits(Warp& warp);
/// The current split begins the next turn of a loop, whose branch back is at @p end: splits that are still in its turn come first, so that all
/// begin the next one together. (Where a loop has more than one way out, the ways of a branch in it meet behind the loop only; ptxas has them
/// meet before each turn.)
void begin_turn(Warp& w, u32 end);
/// Lanes @p mask have ended.
void exit_lanes(Warp& warp, u32 mask);
/// Lanes @p mask of the current split wait at their instruction; the others go on.
void wait_here(Warp& warp, u32 mask);
/// Lets lanes that wait to reconverge go on alone. @return whether there were any.
bool release_reconverging(Warp& warp);

// barriers.cpp
void barrier_instruction(Warp& warp, const Ins& ins, u32 mask);
/// After threads ended: barriers may be complete now.
void check_barriers(Block& block);
/// Nothing in @p cluster can go on: says why.
void report_deadlock(Cluster& cluster);
/// "file.cu:12", or the instruction and its PTX line.
std::string place_of(const Warp& warp, u32 pc);

// async_instructions.cpp
/// mbarriers, bulk copies, cluster addresses. @return false if @p ins is no such instruction.
bool async_instruction(Warp& warp, const Ins& ins, u32 mask);
/// Asks again for splits in state waiting; wakes those that can go on.
void poll_waiting(Warp& warp);
/// All that is waiting for a try_wait gives up once. @return whether there was any.
bool time_out(Warp& warp);
/// What the split at @p pc with frame @p frame waits for, in words.
std::string waits_for(Warp& warp, const Split& split);
/// fence.proxy.async
void proxy_fence(Warp& warp);
/// A warp touches @p owner's shared memory at 32 lane offsets @p at: finds copies that have not been waited for, and
/// remembers what was written.
void watch_shared(Warp& warp, const Ins& ins, const MemoryOp& m, const u64* at, u32 mask, Block& owner);
/// The block's last thread has ended.
void finish_async(Block& block);

// reduce.cpp
/// async::Combine of operation and element type as packed by reduction().
void combine_elements(std::byte* to, const std::byte* from, u32 bytes, u32 how);
inline u32 reduction(lower::AtomicOp op, lower::NumberType type) {
  return static_cast<u32>(op) | static_cast<u32>(type) << 8;
}

// clusters.cpp
/// barrier.cluster.arrive and .wait
void cluster_barrier_instruction(Warp& warp, const Ins& ins, u32 mask);
bool cluster_wait_over(const Warp& warp, u32 mask);
/// After threads ended: the barrier may be complete now.
void check_cluster_barrier(Cluster& cluster);
/// Lanes @p mask of @p warp end.
void leave_cluster_barrier(Warp& warp, u32 mask);

// builtins.cpp
void call_builtin(Warp& warp, const Ins& ins, const lower::CallOp& call, u32 mask);

// device_runtime.cpp
void call_device_runtime(Warp& warp, const Ins& ins, const lower::CallOp& call, u32 mask);

// memory_faults.cpp
/// Names what is wrong with an access of lane @p lane and ends the launch.
/// @param align that the address must have; 0: @p bytes.
/// @param may_pass the caller can leave the lane's access out.
/// @return whether the launch goes on (see Machine::passes()).
bool memory_fault(Warp& warp, const Ins& ins, const MemoryOp& m, u32 lane, u64 address, u32 bytes,
                  observe::Memory space, u32 align = 0, bool may_pass = false);

/// What a load, a store or another instruction of several registers says beside its operands; nullptr if it says nothing.
inline const MemoryOp* memory_op_of(const Warp& warp, const Ins& ins) {
  const bool has_one = ins.flags & lower::kVector || ins.op == Op::atom || ins.op == Op::cp_async;
  return has_one ? &warp.machine->code.memory_ops[ins.aux] : nullptr;
}

/// The product that @p ins is; nullptr if it is none.
inline const lower::MatrixOp* matrix_op_of(const Warp& warp, const Ins& ins) {
  return ins.flags & lower::kMatrix ? &warp.machine->code.matrix_ops[ins.aux2] : nullptr;
}

// special_registers.cpp
void read_special_register(Warp& warp, const Ins& ins, u32 mask);

}  // namespace simgpu::exec

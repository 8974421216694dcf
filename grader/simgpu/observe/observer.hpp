/// @file
/// The one hook through which everything but execution itself is done: counting sectors and bank conflicts,
/// caches, races, uninitialised reads. The interpreter knows that observers exist and nothing about what they
/// do.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/observe/lane_addresses.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::observe {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const noexcept { return std::uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// One PTX instruction of a kernel (or of a function that it calls), as observers and reports name it.
/// Sites are numbered from 0 per loaded module.
struct Site {
  std::uint32_t id = 0;
  std::string name;        ///< full instruction name, "ld.global.f32"
  std::string function;    ///< mangled name of the function that holds it
  std::string file;        ///< source path, empty if unknown
  std::uint32_t line = 0;  ///< source line, 0 if unknown
  std::uint32_t ptx_line = 0;
};

enum class AccessKind : std::uint8_t { load, store, atomic, reduction /* atomic whose result nobody uses */ };
constexpr bool is_atomic(AccessKind kind) noexcept {
  return kind == AccessKind::atomic || kind == AccessKind::reduction;
}

/// Memory that an access really reaches, after a generic address was resolved.
enum class Memory : std::uint8_t { global, shared, local, constant, param, texture };

/// How an access goes through the caches, from its PTX modifiers.
enum class CacheHint : std::uint8_t {
  normal,     ///< .ca or nothing; also .nc
  l2_only,    ///< .cg
  streaming,  ///< .cs, evict-first
  last_use,   ///< .lu
  uncached,   ///< .cv, volatile, relaxed/acquire/release with a scope wider than the block
};

/// Atomicity and ordering, for race detection.
enum class Ordering : std::uint8_t { weak, volatile_, relaxed, acquire, release, acq_rel };
enum class Scope : std::uint8_t { cta, cluster, gpu, sys };

/// Which warp does something, and where it runs.
struct WarpId {
  std::uint64_t block_linear = 0;  ///< x fastest
  Dim3 block;                      ///< blockIdx
  std::uint32_t warp = 0;          ///< index in its block
  std::uint32_t sm = 0;            ///< simulated SM
  std::uint32_t slot = 0;  ///< which of the SM's resident-block slots: unique among blocks alive on the SM
  /// From 1: how often it has been given its turn. A turn ends where the warp waits for what it has loaded, or for others.
  std::uint32_t turn = 0;
};

/// Bytes of a request that nobody has ever written.
struct Unwritten {
  std::uint32_t lanes = 0;   ///< that have such bytes
  std::uint32_t barren = 0;  ///< lanes (of a load) around which nobody wrote anything: this is no padding
  std::array<std::uint32_t, 32> bytes;  ///< of those lanes: bit n stands for byte n of the lane's part
};

/// What a store is about to write, for observers to whom it matters. Both put Access::bytes bytes to @p to.
class StoredValues {
 public:
  virtual void stored(std::uint32_t lane, std::byte* to) const = 0;  ///< the lane's value
  virtual void present(std::uint32_t lane,
                       std::byte* to) const = 0;  ///< what its place in memory holds before

 protected:
  ~StoredValues() = default;
};

/// The accesses that the machine makes where the text has one: ptxas splits a load or store into the elements that are used,
/// and joins them with those of other instructions (lower/joins.cpp). What lies where, and who may touch it, is as the text
/// says; requests, sectors and wavefronts are counted of these.
struct MachineAccesses {
  struct Part {
    std::int32_t offset = 0;  ///< from the address that the text names [bytes]
    std::uint8_t bytes = 0;   ///< per lane
  };
  std::uint8_t count = 0;  ///< 0: done by another instruction, or nobody needs it
  bool alike = true;       ///< all parts have as many bytes, and lie whole words from the named address
  std::array<Part, 4> parts{};
};

/// What an instruction's accesses cost: for whoever keeps a clock while the kernel runs. The observer that counts adds to it.
struct AccessCost {
  std::uint32_t shared_wavefronts = 0, constant_passes = 0;
  std::uint32_t wavefronts = 0, lines = 0;  ///< of global and local memory, and textures
  std::uint32_t l2_sectors = 0;             ///< of them: that the L1 did not answer, or stored
  std::uint32_t dram_sectors = 0;           ///< of those: that the L2 did not have
  std::uint32_t texels = 0;
  double line_cycles = 0;  ///< for which atomics keep the busiest line of L2
  bool remote = false;     ///< shared memory of another block: what SiteCounters calls so, of this access
  std::uint32_t remote_lanes = 0, remote_lines = 0, remote_turns = 0;
};

/// One memory instruction of one warp: one request, unless `machine` says otherwise.
struct Access {
  const Site* site = nullptr;
  const WarpId* warp = nullptr;
  Memory memory = Memory::global;
  AccessKind kind = AccessKind::load;
  CacheHint hint = CacheHint::normal;
  Ordering ordering = Ordering::weak;
  Scope scope = Scope::cta;
  std::uint8_t bytes = 4;     ///< per lane, the whole vector: 1, 2, 4, 8, 16 (32 for .v8.b32)
  bool non_coherent = false;  ///< ld.global.nc
  bool evict_first = false;   ///< the program says that nobody reads it again soon: .cs, .lu, L2::evict_first
  bool asynchronous = false;  ///< the global side of cp.async
  bool adds_one = false;      ///< integer add of the constant 1 whose result nobody reads (ATOMS.POPC.INC)
  bool indexed = false;       ///< constant memory: its address comes from a register
  std::uint8_t uniform_pieces =
      0;  ///< of 8 bytes of constant memory: that the machine reads into uniform registers, one by one
  bool uniform = false;      ///< atomic: the text shows that all lanes go to one address
  bool one_address = false;  ///< ... and the compiler makes one of them
  std::uint32_t mask = 0;    ///< lanes that take part; never 0
  /// Not 0: accesses of one launch with this number have the same mask and bytes, and their addresses differ by one
  /// amount in all active lanes. Says nothing about accesses of different numbers.
  std::uint32_t shape = 0;
  const WarpId* owner =
      nullptr;  ///< shared: some warp of the block whose memory it is; nullptr: the warp's own
  /// Per lane: global and constant: device address; shared: offset in the shared memory of the owner's block; local: offset in the thread's local memory;
  /// param: offset.
  LaneAddresses address;
  /// Of the first active lane.
  std::uint64_t first() const noexcept { return address.first(mask); }
  /// Of a load: to be filled in by the observer that knows, and then followed by the interpreter (see unwritten_used());
  /// nullptr: nobody will. Of a store: which bytes are such values themselves.
  Unwritten* unwritten = nullptr;
  const StoredValues* values = nullptr;      ///< of a store; nullptr: not known
  const MachineAccesses* machine = nullptr;  ///< nullptr: as the text says
  AccessCost* cost = nullptr;                ///< nullptr: nobody asks
};

/// Something depends on a value that nobody wrote.
struct UnwrittenUse {
  const Site* load = nullptr;  ///< where the value was read
  const Site* use = nullptr;   ///< where it matters
  const WarpId* warp = nullptr;
  std::uint32_t lane = 0;
  Memory memory = Memory::global;  ///< that was read
  std::uint64_t address = 0;       ///< its first such byte
};

/// One texture or surface instruction of one warp. Texels have 1 to 16 bytes; a filtered fetch has several a lane.
struct TextureAccess {
  const Site* site = nullptr;
  const WarpId* warp = nullptr;
  AccessKind kind = AccessKind::load;
  std::uint8_t bytes = 4;  ///< per texel, or per lane of a surface access
  std::uint32_t mask = 0;  ///< lanes that take part; never 0
  std::uint32_t filtered =
      0;  ///< of them: lanes whose fetch the texture unit interpolates (linear filter, not by index)
  bool gathers = false;         ///< tld4: four texels a lane, not interpolated
  bool surface = false;         ///< through a surface object, without sampler
  bool by_number = false;       ///< of linear memory, without tiles
  std::uint8_t dimensions = 2;  ///< of the texture's image, layers not counted
  std::uint32_t texels = 0;     ///< addresses; lanes outside the image have none
  const std::uint64_t* address =
      nullptr;  ///< of the texels; arrays as if they lay in tiles (memory/textures.hpp)
  const std::uint64_t* place = nullptr;  ///< of the texels, where they really lie in device memory
  const std::uint8_t* lane = nullptr;    ///< of the texels: who asks for it
  AccessCost* cost = nullptr;            ///< nullptr: nobody asks
};

/// One bulk or tensor copy, between global and shared memory, as the copy engine sees it.
struct BulkAccess {
  struct Span {
    std::uint64_t address = 0, bytes = 0;
  };
  const Site* site = nullptr;
  const WarpId* warp = nullptr;  ///< who began it
  std::uint32_t lane = 0;
  AccessKind kind = AccessKind::load;  ///< of global memory; reduction: combines with what is there
  const Span* spans = nullptr;         ///< global memory that it touches
  std::size_t span_count = 0;
  std::uint64_t bytes = 0;  ///< moved, those outside a tensor included; 0: a prefetch into the L2
  bool tensor = false, multicast = false;
  std::uint32_t targets = 1;        ///< blocks into whose shared memory a load's bytes go
  std::uint32_t swizzle_bytes = 0;  ///< tensor: span of the map's swizzle: 0, 32, 64 or 128
  std::uint32_t row_bytes = 0;      ///< tensor: bytes of one row of the box
  AccessCost* cost = nullptr;       ///< nullptr: nobody asks
};

/// Lanes of a warp that take part in a barrier of their block.
struct BarrierPart {
  WarpId warp;
  std::uint32_t lanes = 0;
};

/// What a launch is, as observers need to know it.
/// A variable in shared memory.
struct SharedVariable {
  std::string symbol;        ///< mangled
  std::uint32_t offset = 0;  ///< in the block's shared memory
  std::uint32_t bytes = 0;   ///< 0: dynamic, it reaches to the end
};

struct LaunchInfo {
  std::string kernel;  ///< mangled name
  Dim3 grid, block, cluster;
  std::uint32_t shared_bytes = 0;  ///< static + dynamic, per block
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t reserved_shared_bytes =
      0;  ///< at the end of shared_bytes: what the toolkit's libraries keep for themselves
  std::uint32_t local_bytes = 0;    ///< per thread
  std::uint32_t site_count = 0;     ///< numbers of instructions are below it
  bool local_in_registers = false;  ///< machine code has registers in its place: no traffic
  std::uint32_t sm_count = 0;
  std::uint32_t resident_blocks_per_sm = 0;
  std::vector<SharedVariable> shared_variables;
};

enum class FindingKind : std::uint8_t {
  out_of_bounds,
  misaligned,
  use_after_free,
  uninitialised_read,
  race,
  same_value_race,  ///< a race whose writes all store the same
  divergent_barrier,
  deadlock,
  missing_wait,
  missing_fence,
  undefined_shuffle,  ///< of a value from a lane that takes no part, which is then used
  undefined_mask,     ///< of a warp-wide instruction: the lane that executes it is not in it
  unsupported_instruction,
  illegal_instruction,
  trap,
  assertion,
  runaway,
  stack_overflow,
  leak,
  bad_call,
};

/// The word used for a finding in reports: "out_of_bounds", "race", ...
const char* name_of(FindingKind kind) noexcept;

/// Something wrong that was seen, with where and who.
struct Finding {
  FindingKind kind = FindingKind::out_of_bounds;
  bool warning = false;  ///< true: shown, but the launch is not failed for it
  /// An error that the launch goes on after: hardware does (an undefined shuffle), or it was to (Launch::keep_going).
  bool passed = false;
  std::string kernel;  ///< mangled name
  std::string file;
  std::uint32_t line = 0;   ///< source line, 0 if unknown
  std::string instruction;  ///< "st.shared.f32"
  Dim3 block, thread;       ///< blockIdx and threadIdx of the (first) culprit
  Memory memory = Memory::global;
  std::uint64_t address = 0;
  std::uint64_t allocation = 0;    ///< begin of the allocation that the message tells by its number; 0: none
  std::string message;             ///< one or two sentences for a student: what, where, which neighbour
  std::uint32_t other_line = 0;    ///< race: the other access's source line
  Dim3 other_block, other_thread;  ///< race: the other party
  std::uint64_t occurrences = 1;   ///< merged by (kind, site, other site)
};

/// Collects findings, merged by kind and place so that a million equal ones become one with a count.
class Findings {
 public:
  void add(Finding finding);
  /// An error after which the launch goes on comes as often as there are threads: one such line needs its words once.
  /// @return whether this one is known already, by kind and place; then it has been counted.
  bool again(FindingKind kind, Memory memory, const std::string& kernel, const Site& site);
  const std::vector<Finding>& all() const noexcept { return all_; }
  bool any_error() const noexcept;
  void clear();

 private:
  std::vector<Finding> all_;
};

/// Clients of the interpreter. Every call comes from one thread, in program order of the simulated schedule.
class RepeatedLoads;

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begin(const LaunchInfo&) {}
  virtual void launch_end() {}
  virtual void block_begin(const WarpId&) {}
  virtual void block_end(const WarpId&) {}
  /// Called once an access is known to be in bounds and aligned, *before* its data move.
  virtual void access(const Access&) {}
  /// Not nullptr: some loads need not be told one by one (repeated_loads.hpp).
  virtual RepeatedLoads* repeated_loads() { return nullptr; }
  /// The same for textures and surfaces.
  virtual void texture(const TextureAccess&) {}
  /// A value that was `unwritten` in a load was stored after a computation, branched upon or used as an address.
  virtual void unwritten_used(const UnwrittenUse&) {}
  /// All live threads of the block of @p any have met at a barrier (`bar.sync`, `barrier.sync`).
  virtual void block_barrier(const WarpId& /*any*/) {}
  /// A warp (or a part of it that runs by itself) has come to a block barrier.
  virtual void block_barrier_arrival(const WarpId&) {}
  /// So have some of its threads (`bar.sync id, count`), and those that have only arrived there before; there may be no others.
  virtual void partial_barrier(const WarpId& /*any*/, std::uint32_t /*id*/, const BarrierPart* /*parts*/,
                               std::size_t /*count*/) {}
  /// Lanes @p mask arrive at barrier @p id of their block without waiting (`bar.arrive`).
  virtual void barrier_arrive(const WarpId&, std::uint32_t /*mask*/, std::uint32_t /*id*/) {}
  /// Lanes @p mask of a warp have met at a `bar.warp.sync` ...
  virtual void warp_sync(const WarpId&, std::uint32_t /*mask*/) {}
  /// ... or at another warp-wide instruction, which does not order what they did in memory.
  virtual void warp_exchange(const WarpId&, std::uint32_t /*mask*/) {}
  /// `membar` / `fence` by lanes @p mask.
  virtual void fence(const WarpId&, std::uint32_t /*mask*/, Scope) {}
  /// `fence.proxy.async` for global memory: what the lanes know of ordinary stores there, the copy engine sees from now on.
  virtual void proxy_fence(const WarpId&, std::uint32_t /*mask*/) {}
  /// Lanes @p mask have waited for the kernel that this one was allowed to begin before (`griddepcontrol.wait`) ...
  virtual void grid_dependency_wait(const WarpId&, std::uint32_t /*mask*/) {}
  /// ... or allow the next one to begin (`griddepcontrol.launch_dependents`).
  virtual void grid_dependency_trigger(const WarpId&) {}
  /// A bulk copy is begun: its global side ...
  virtual void bulk_access(const BulkAccess&) {}
  /// ... and the mbarrier, of @p owner's block, on which it completes; several if it is multicast.
  virtual void bulk_signals(const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  /// Lanes @p mask close their group of bulk stores ...
  virtual void bulk_commit(const WarpId&, std::uint32_t /*mask*/) {}
  /// ... and have waited until all but their newest @p pending groups have been written.
  virtual void bulk_wait(const WarpId&, std::uint32_t /*mask*/, std::uint32_t /*pending*/) {}
  /// Lane @p lane begins a copy that will write shared memory of @p owner's block: what was read there comes before, or should.
  virtual void shared_replaced(const Site&, const WarpId& /*by*/, std::uint32_t /*lane*/,
                               const WarpId& /*owner*/, std::uint32_t /*offset*/, std::uint32_t /*bytes*/) {}
  /// Lane @p lane begins a copy that will read shared memory of @p owner's block: what was written there comes before, or should.
  virtual void shared_copied(const Site&, const WarpId& /*by*/, std::uint32_t /*lane*/,
                             const WarpId& /*owner*/, std::uint32_t /*offset*/, std::uint32_t /*bytes*/) {}
  /// The copy engine will write shared memory of @p owner's block.
  virtual void shared_filled(const WarpId& /*owner*/, std::uint32_t /*offset*/, std::uint32_t /*bytes*/) {}
  /// Lanes @p mask arrive at the mbarrier at @p offset of @p owner's block: what they did so far comes before ...
  /// (@param relaxed of what a fence before it covers, that is)
  virtual void mbarrier_arrive(const WarpId& /*warp*/, std::uint32_t /*mask*/, const WarpId& /*owner*/,
                               std::uint32_t /*offset*/, bool /*relaxed*/) {}
  /// ... the end of that mbarrier's phase ...
  virtual void mbarrier_phase(const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  /// ... and that before everything that lanes @p mask do after they have seen it (@param relaxed and a fence).
  virtual void mbarrier_wait(const WarpId& /*warp*/, std::uint32_t /*mask*/, const WarpId& /*owner*/,
                             std::uint32_t /*offset*/, bool /*relaxed*/) {}
  /// The same for the barrier of @p warp's cluster. @param relaxed only what a fence before it covers is passed on
  virtual void cluster_arrive(const WarpId& /*warp*/, std::uint32_t /*mask*/, bool /*relaxed*/) {}
  virtual void cluster_barrier(const WarpId& /*any*/) {}
  virtual void cluster_wait(const WarpId& /*warp*/, std::uint32_t /*mask*/) {}
  /// Lanes @p mask have got a value by a shuffle from lanes that take no part in it, and something depends on it at @p use.
  virtual void used_from_nowhere(const Site& /*shuffle*/, const Site& /*use*/, const WarpId&,
                                 std::uint32_t /*mask*/) {}
  /// What else an mbarrier of @p owner's block goes through: it is initialised, threads arrive, bytes are announced.
  virtual void mbarrier_init(const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  /// Lane @p lane has initialised it ...
  virtual void mbarrier_made(const Site&, const WarpId& /*by*/, std::uint32_t /*lane*/,
                             const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  /// ... and lanes @p mask are about to use it: they arrive, look at it, announce bytes, have copies complete on it.
  virtual void mbarrier_used(const Site&, const WarpId& /*by*/, std::uint32_t /*mask*/,
                             const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  virtual void mbarrier_arrivals(const WarpId& /*owner*/, std::uint32_t /*offset*/, std::uint32_t /*count*/) {
  }
  virtual void mbarrier_expect(const WarpId& /*owner*/, std::uint32_t /*offset*/, std::uint32_t /*bytes*/) {}
  /// A warp's wait for its own cp.async groups let copies land. @param bytes,copies of its own still on their way.
  virtual void copies_landed(const WarpId&, std::uint64_t /*bytes*/, std::uint64_t /*copies*/) {}
  /// The phase of an mbarrier that has just ended had asynchronous copies to wait for.
  virtual void mbarrier_landed(const WarpId& /*owner*/, std::uint32_t /*offset*/) {}
  /// A warp goes on after it has seen a phase of its block's mbarrier end.
  /// @param bytes,copies into the block's shared memory that are still on their way.
  virtual void mbarrier_passed(const WarpId& /*warp*/, std::uint32_t /*offset*/, std::uint64_t /*bytes*/,
                               std::uint64_t /*copies*/) {}
  /// A bulk copy or st.async moves bytes from one block's shared memory, or registers, to another block's.
  virtual void remote_copy(const WarpId&, std::uint64_t /*bytes*/) {}
};

}  // namespace simgpu::observe

/// @file
/// Decoded instructions, as `lower` writes them and `exec` runs them. Private to these two rooms.
///
/// A warp's registers of one function live in one *frame*: a block of bytes in which every register is a row
/// of 32 lanes (4 or 8 bytes a lane; 8- and 16-bit values use 4, zero-extended), and every predicate is one
/// 32-bit mask. An operand is a byte offset into the frame, or into the constant pool, where immediates lie
/// as rows of 32 equal values: so the lane loops never ask what kind of operand they have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simgpu/observe/observer.hpp"

namespace simgpu::lower {

/// Every operation that can be executed; see opcodes.def.
enum class Op : std::uint16_t {
#define OP(id, ...) id,
#include "simgpu/lower/opcodes.def"
#undef OP
  count
};
inline constexpr std::size_t kOpCount = static_cast<std::size_t>(Op::count);

/// What an instruction counts as in `exec::InstructionMix`.
enum class Class : std::uint8_t {
  fp32,
  fp64,
  integer,
  multiply,  ///< of integers
  divide,    ///< of integers: no unit of its own
  special,
  conversion,
  memory,
  control,
  shuffle,
  tensor,  ///< matrix products
  other
};

/// An operand: offset of a register's row in the frame, or of a row in the constant pool if kPoolBit is set.
using Operand = std::uint32_t;
inline constexpr Operand kPoolBit = 0x8000'0000u;
/// Rows of registers that hold the same in every block (kept.cpp): one for each warp of a block, or for all warps of a launch. Their
/// offsets count on from the frame's end: what follows registers by their numbers has one for each.
inline constexpr Operand kKeptByWarp = 0x4000'0000u, kKeptByAll = 0x6000'0000u;
/// Bits of an operand above these say which kind of row it is.
inline constexpr std::uint32_t kRowBits = 29;
constexpr bool is_kept(Operand o) {
  return o >> (kRowBits + 1) == 1 && o != 0x7FFF'FFFFu;
}
/// A register's number among those of its function, as an offset.
constexpr std::uint32_t offset_of(Operand o) {
  return o & ((1u << kRowBits) - 1);
}
inline constexpr Operand kNoOperand = 0x7FFF'FFFFu;
inline constexpr std::uint32_t kNoPc = 0xFFFF'FFFFu;

/// Fields of Ins that hold registers; for liveness, allocation and the scoreboard.
enum Field : std::uint8_t { kFieldD = 1, kFieldA = 2, kFieldB = 4, kFieldC = 8, kFieldE = 16, kFieldF = 32 };

/// `Ins::flags`.
enum InsFlag : std::uint16_t {
  kFtz = 1,            ///< subnormal inputs and results are zero
  kSat = 2,            ///< clamp to [0, 1]
  kInvert = 4,         ///< setp/set: negate the comparison
  kNegateProduct = 4,  ///< fma: of a and b
  kOnlyAddress = 4,    ///< sum of 64 bits: nobody asks for it but one access of its block, as an address
  kGather = 8,         ///< a *.sync instruction: `e` is the member mask; runs once all members have arrived
  kHidden = 16,        ///< made by lowering; counted nowhere
  kNotC = 32,          ///< predicate operand c is negated
  kNegateAddend = 32,  ///< fma: c
  kNan = 64,           ///< min.NaN / max.NaN
  kWideA = 128,        ///< 64-bit address register in `a`
  kVector = 256,       ///< registers in memory().registers take part
  kTwo = 512,          ///< variant of the operation; see the handler
  kXorSign = 1024,     ///< min/max.xorsign.abs: of the magnitudes, with the product's sign
  kWideNumber =
      1024,  ///< of sums and products of class fp64 and of moves, which have no such: it asks for a number of 64 bits that does not fit into it
  kRelu = 2048,  ///< a negative result is zero
  kWaits =
      4096,  ///< needs what was loaded from global or local memory: the warp stops here until it has come
  kMerged = 16384,  ///< the machine does it along with another one (merges.cpp)
  kMatrix = 32768,  ///< registers of a matrix product in Code::matrix_ops[aux2] take part
  kOncePerTurns =
      8192,  ///< of a loop whose turns lie side by side (branches.cpp): the machine does it once for all of them
};

/// Bit of Ins::imm of a division or root: a branch to a slow way stands in its place, which ptxas moves nothing across.
inline constexpr std::int64_t kSlowPath = 256;
/// Ins::imm of a branch forward of which ptxas makes no predicates.
inline constexpr std::int64_t kStaysABranch = 1;
/// ... and of one for which ptxas has predicates: what it jumps over is executed all the same, with all lanes off.
inline constexpr std::int64_t kBecomesPredicates = 2;
/// ... and of a way out of a loop in the middle of its turn: what follows waits until what stands before it has been issued.
inline constexpr std::int64_t kLeavesLoop = 3;
/// Ins::imm of a sum of 32 bits that takes a second sum or a shift to the right along: the multipliers cannot do it.
inline constexpr std::int64_t kTakesThree = 1;
/// ... of one whose second addend is a number or nought, as a predicate says: two instructions.
inline constexpr std::int64_t kChosenSum = 2;
/// Ins::imm of a multiply-add of floats that waits for its operands, since one bank of registers has two of them (register_banks.cpp).
inline constexpr std::int64_t kReadsTwice = 2;
/// Turns that ptxas lays side by side (branches.cpp).
inline constexpr std::int64_t kTurnsSideBySide = 4;

/// Marks an instruction without a guard predicate.
inline constexpr std::uint32_t kNoGuard = 0xFFFF'FFFFu;

/// One decoded instruction.
struct Ins {
  Op op{};
  std::uint16_t flags = 0;
  std::uint8_t defs = 0, uses = 0;  ///< Field bits that are written, read
  Class cls = Class::other;
  std::uint8_t latency = 4;        ///< cycles until the result can be used, unless it is a load
  std::uint32_t guard = kNoGuard;  ///< frame offset of the predicate, times 2, plus 1 if negated
  Operand d = kNoOperand, a = kNoOperand, b = kNoOperand, c = kNoOperand, e = kNoOperand, f = kNoOperand;
  std::uint32_t site = 0;
  std::uint32_t aux = 0;   ///< branch target; index into Code::memory_ops, calls, ...; sub-operation
  std::uint32_t aux2 = 0;  ///< reconvergence point of a branch; index into Code::async_ops
  std::int64_t imm = 0;  ///< of divisions, roots and special functions: machine instructions, and kSlowPath;
      ///< of a branch back: turns of its loop that lie side by side in machine code; of one forward: kStaysABranch
};

/// Calls f(operand) for each operand of @p ins that @p fields names (its defs, its uses, or some of them).
template <class F>
void each_operand(const Ins& ins, std::uint8_t fields, F&& f) {
  if (fields & kFieldD) f(ins.d);
  if (fields & kFieldA) f(ins.a);
  if (fields & kFieldB) f(ins.b);
  if (fields & kFieldC) f(ins.c);
  if (fields & kFieldE) f(ins.e);
  if (fields & kFieldF) f(ins.f);
}

/// What `Ins::aux` means for a `rounded` operation.
enum class Rounding : std::uint8_t { nearest, zero, down, up };

/// Arithmetic of atomics, reductions and redux.
enum class AtomicOp : std::uint8_t { add, exch, cas, min, max, and_, or_, xor_, inc, dec };

/// Where the address of an access comes from.
enum class AddressSpace : std::uint8_t { generic, global, shared, local, constant, param };

enum class NumberType : std::uint8_t {
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
};
/// [bytes]
constexpr std::uint8_t bytes_of(NumberType t) {
  constexpr std::uint8_t table[] = {1, 2, 4, 8, 16, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 2, 4, 4, 8};
  return table[static_cast<std::size_t>(t)];
}
constexpr bool is_signed(NumberType t) {
  return t >= NumberType::s8 && t <= NumberType::s64;
}
constexpr bool is_float(NumberType t) {
  return t >= NumberType::f16;
}

/// The memory side of an instruction.
struct MemoryOp {
  AddressSpace space = AddressSpace::generic;
  observe::AccessKind kind = observe::AccessKind::load;
  observe::CacheHint hint = observe::CacheHint::normal;
  observe::Ordering ordering = observe::Ordering::weak;
  observe::Scope scope = observe::Scope::cta;
  NumberType type = NumberType::b32;
  AtomicOp atomic = AtomicOp::add;
  bool non_coherent = false;
  bool ahead_of_stores = false;  ///< load: ptxas has it ahead of stores that stand before it (waits.cpp)
  bool evict_first = false;      ///< .cs, .lu, .L2::evict_first
  bool has_policy = false;       ///< .L2::cache_hint: a cache policy is in the instruction's operand e
  bool spin_hint = false;        ///< the kind of access that waiting loops are made of
  bool wide_address = true;      ///< the address register has 64 bits
  bool of_cluster = false;       ///< shared memory of any block of the cluster
  bool result_unused = false;    ///< atomic whose result nobody reads
  bool uniform = false;          ///< atomic: the text shows that all lanes go to one address
  bool one_address = false;      ///< ... and ptxas makes one of them
  bool adds_one = false;         ///< integer add of the constant 1 whose result nobody reads
  bool address_in_text =
      false;  ///< constant memory: ptxas unrolls its loop to the end, and no register is asked
  std::uint8_t uniform_pieces =
      0;  ///< of 8 bytes: that ptxas has in uniform registers (uniform_constants.cpp)
  std::uint8_t element_bytes = 4;  ///< in memory
  std::uint8_t count = 1;          ///< elements of the vector
  std::uint8_t total_bytes = 4;
  std::uint8_t registers_wide = 0;  ///< bit n: register n has 8 bytes a lane
  std::uint8_t registers_half = 0;  ///< bit n: register n was declared with 16 bits
  std::array<Operand, 8>
      registers{};  ///< destinations of a load, sources of a store, operands b of a vector atomic
  std::array<Operand, 4> results{};  ///< destinations of a vector atomic
  bool regrouped = false;  ///< the machine's accesses are not what the text says: they are in `machine`
  observe::MachineAccesses machine;
};

/// Calls f(operand) for each register that @p m writes: destinations of a load, results of an atomic.
template <class F>
void each_result(const MemoryOp& m, F&& f) {
  if (m.kind == observe::AccessKind::load)
    for (unsigned n = 0; n < m.count; ++n) f(m.registers[n]);
  if (m.kind == observe::AccessKind::atomic)
    for (unsigned n = 0; n < m.count && n < m.results.size(); ++n) f(m.results[n]);
}

/// Cache policies as createpolicy makes them. Opaque in PTX; these are the words that CUTLASS and libcu++ pass as constants, so
/// both spellings of a policy are recognised. The bits below the priority hold a fraction, which is not looked at.
inline constexpr std::uint64_t kPolicyNormal = 0x10F0'0000'0000'0000ull,
                               kPolicyEvictFirst = 0x12F0'0000'0000'0000ull,
                               kPolicyEvictLast = 0x14F0'0000'0000'0000ull;
constexpr bool evicts_first(std::uint64_t policy) {
  return policy >> 56 == kPolicyEvictFirst >> 56;
}

/// The texture side of a `tex`, `tld4`, `suld` or `sust`. Coordinates are in operands a, b, c, e (the layer of a layered image
/// first), the handle in d, a level in f, texel values in the MemoryOp's registers.
struct TextureOp {
  enum class Outside : std::uint8_t { trap, clamp, zero };
  std::uint8_t dimensions = 1;  ///< layers not counted
  bool layered = false, cube = false;
  bool integer_coordinates = false;
  bool has_level = false;
  std::int8_t gather = -1;          ///< tld4: channel
  bool reduces = false;             ///< sured: combines by the MemoryOp's `atomic` and `type`
  bool formatted = false;           ///< sust.p: values are converted to the image's format
  Outside outside = Outside::trap;  ///< surfaces
};

/// A function parameter's or call argument's bytes in a frame's parameter area.
struct ParamSlot {
  std::uint32_t offset = 0, bytes = 0;
};

/// Elements of matrices, as tensor cores take them.
enum class MatrixType : std::uint8_t { f16, bf16, tf32, f32, f64, e4m3, e5m2, s8, u8, s4, u4, b1, s32 };
constexpr std::uint32_t bits_of(MatrixType t) {
  constexpr std::uint8_t table[] = {16, 16, 32, 32, 64, 8, 8, 8, 8, 4, 4, 1, 32};
  return table[static_cast<std::size_t>(t)];
}
/// Operands of a product d = a * b + c; `c` and `d` have one layout.
enum class MatrixPart : std::uint8_t { a, b, c, sum };

/// `wmma.*` and `mma.sync`. How lanes hold a matrix is in fragments.hpp.
struct MatrixOp {
  std::uint16_t m = 0, n = 0, k = 0;
  std::array<MatrixType, 4> type{};  ///< of a, b, c, d
  MatrixPart part{};                 ///< loads and stores: which one
  bool by_column = false;            ///< ... neighbours in memory are those of one column
  /// Loads and stores: the machine's accesses, and what else it executes (lanes exchange halves, bytes are put together).
  std::uint8_t accesses = 1, exchanges = 0, packings = 0;
  std::uint32_t issues() const { return std::uint32_t{accesses} + exchanges + packings; }
  bool saturates = false;
  enum class Bits : std::uint8_t { none, xor_, and_ } bits = Bits::none;  ///< how single bits are multiplied
  /// m8n8k4 of halves: four products at once, each of two groups of four lanes.
  bool quads = false, a_by_column = false, b_by_column = false;
  std::array<std::uint8_t, 3> counts{};  ///< registers of a, b, c in `sources`
  std::vector<Operand> sources, results;
};

/// Functions that the device runtime provides.
enum class Builtin : std::uint8_t { none, vprintf, assertfail, malloc, free, runtime, unknown };
/// Those of the CUDA runtime.
enum class DeviceCall : std::uint8_t {
#define DEVICE_CALL(id, name) id,
#include "simgpu/container/device_calls.def"
#undef DEVICE_CALL
};

/// `call`.
struct CallOp {
  std::uint32_t function = 0;  ///< index into Code::functions, when direct
  bool indirect = false;       ///< the function's address is in operand a
  Builtin builtin = Builtin::none;
  DeviceCall device_call{};  ///< of Builtin::runtime
  std::string name;
  std::vector<ParamSlot> arguments, results;
};

/// Operands of an asynchronous instruction beyond its registers: where its addresses lie. The destination's address is
/// in operand a, the source's (or tensor map's) in b, the mbarrier's in c; sizes and counts are in e, a mask of blocks
/// in f; coordinates are in the registers of a MemoryOp.
struct AsyncOp {
  enum Place : std::uint8_t { kTo, kFrom, kBarrier };
  std::array<std::int64_t, 3> offset{};
  std::array<bool, 3> wide{true, true, true};  ///< 64-bit address register
  std::array<AddressSpace, 3> space{};
  bool reduces = false;  ///< combines with what is at the destination, by `atomic` and `type`
  bool tensor = false;
  bool multicast = false;
  bool prefetch = false;
  bool reads_only = false;  ///< bulk wait_group.read
  bool relaxed = false;     ///< of an mbarrier: orders nothing
  AtomicOp atomic = AtomicOp::add;
  NumberType type = NumberType::b32;
};

/// A video instruction.
struct VideoOp {
  enum Operation : std::uint8_t { add, sub, absdiff, min, max, average, shl, shr, mad, set };
  enum Comparison : std::uint8_t { eq, ne, lt, le, gt, ge };
  struct Part {
    std::uint8_t shift = 0, bits = 32;
  };
  Operation operation = add, then = add;  ///< `then`: with c, on the result
  Comparison comparison = eq;
  std::uint8_t parts = 0;  ///< 2 or 4: on all halves or bytes; 0: scalar
  std::uint8_t scale = 0;  ///< mad: bits to the right
  bool saturates = false, wraps = false, plus_one = false, has_then = false;
  bool merges = false;                         ///< the result replaces a part of c
  std::array<bool, 3> is_signed{}, negated{};  ///< of d, a, b; of a, b, c
  std::array<Part, 2> from{};
  Part into;
};

/// `brx.idx`.
struct BranchTable {
  std::vector<std::uint32_t> targets;
};

/// One function as lowered for one kernel.
struct Function {
  std::string name;
  std::uint32_t entry = 0, end = 0;  ///< instructions [entry, end)
  std::uint32_t module_index = 0;    ///< which function of the module: what its address tells
  std::uint32_t frame_bytes = 0;
  std::uint32_t predicate_bytes = 0;  ///< the frame starts with the predicates
  std::uint32_t param_base = 0;       ///< offset of the parameter area: 32 lanes of param_stride bytes
  std::uint32_t param_stride = 0;
  std::uint32_t local_bytes = 0;  ///< of its own `.local` variables
  bool uses_alloca = false;
  std::vector<ParamSlot> parameters, results;
  struct Range {
    std::uint32_t offset, bytes;
  };
  std::vector<Range> zeroed;  ///< rows that may be read before they are written
  /// Instructions that write rows of kKeptByAll and kKeptByWarp, each row once, in an order in which they can be executed.
  std::vector<std::uint32_t> fills_kept_by_all, fills_kept_by_warp;
  std::uint32_t kept_by_warp_bytes = 0,
                kept_by_all_bytes = 0;  ///< of one warp; their offsets begin behind the frame, and so on
  std::vector<std::uint32_t>
      kept_places;  ///< by 128 bytes of their rows: which row of the frame they leave empty
  /// The row of the frame that a register has, or would have if it was not kept.
  Operand frame_place(Operand o) const {
    return is_kept(o) ? kept_places[(offset_of(o) - frame_bytes) / 128] : o;
  }
  std::uint32_t all_rows_bytes() const { return frame_bytes + kept_by_warp_bytes + kept_by_all_bytes; }
};

/// Addresses of functions: kFunctionBase + 16 * index of the function in its module.
inline constexpr std::uint64_t kFunctionBase = 0x0001'0300'0000'0000ull;

/// All decoded instructions of a module.
struct Code {
  std::vector<Ins> instructions;
  std::vector<MemoryOp> memory_ops;
  std::vector<AsyncOp> async_ops;
  std::vector<CallOp> calls;
  std::vector<BranchTable> tables;
  std::vector<MatrixOp> matrix_ops;    ///< index in Ins::aux2
  std::vector<VideoOp> video_ops;      ///< index in Ins::aux2
  std::size_t target_count = 0;        ///< of all tables
  std::vector<TextureOp> texture_ops;  ///< index in Ins::aux2
  std::vector<std::string> reasons;    ///< why an `unsupported` instruction is; index in imm
  std::vector<Function> functions;
  std::vector<std::uint64_t> pool;  ///< constant rows; 8-byte aligned storage, rows at multiples of 128 bytes
  std::vector<observe::Site> const* sites = nullptr;
  std::size_t site_count = 0;  ///< real sites; id site_count is the dump for hidden instructions
  /// Per kernel: its functions [first, last) in `functions`; entry function first.
  struct KernelFunctions {
    std::uint32_t first = 0, last = 0;
    bool recursive = false;
    std::uint32_t alloca_bytes = 0;  ///< the last bytes of a thread's local memory, for alloca
    bool reads_clock = false;        ///< some instruction does: its warps keep one (exec/warp_clock.hpp)
  };
  std::vector<KernelFunctions> kernels;
  bool launches_dependents = false;  ///< some kernel allows the next one to begin before it has ended
};

/// Immediates of a nop: `griddepcontrol`, which only observers care about.
inline constexpr std::int64_t kGridDependencyWait = 1, kGridDependencyTrigger = 2;

}  // namespace simgpu::lower

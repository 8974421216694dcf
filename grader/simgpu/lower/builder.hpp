/// @file
/// What the lowering steps share while a module is made ready: names resolved, one function under
/// construction.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simgpu/lower/code.hpp"
#include "simgpu/lower/limits.hpp"
#include "simgpu/lower/program.hpp"
#include "simgpu/ptx/module.hpp"

namespace simgpu::lower {

/// Ins::imm of a division of 32 bits whose divisor a loop around it does not change.
inline constexpr std::int64_t kDivisorKept = 1;

/// Thrown where a module cannot be made ready at all; lower() returns it.
struct Refusal {
  LowerError error;
};

/// Rows of equal values for immediates, each kept once.
class ConstantPool {
 public:
  explicit ConstantPool(Code& code) : code_(code) {}
  /// @param width 4 or 8: bytes a lane. @return an operand with kPoolBit.
  Operand row(std::uint64_t bits, unsigned width);

 private:
  Code& code_;
  std::unordered_map<std::uint64_t, Operand> rows32_, rows64_;
};

/// Facts about the module that every kernel needs.
struct ModuleFacts {
  const ptx::Module* module = nullptr;
  const AddressOf* address_of = nullptr;
  std::unordered_map<std::string_view, const ptx::Variable*> variables;
  std::unordered_map<std::string_view, std::uint32_t>
      functions;                          ///< name -> index; bodies win over declarations
  std::set<std::uint32_t> address_taken;  ///< functions that indirect calls may reach
  std::vector<std::uint32_t> first_site;  ///< per function of the module
  std::uint32_t hidden_site = 0;
};

/// One kernel under construction: which functions it reaches, where its shared variables lie.
struct KernelFacts {
  std::vector<std::uint32_t> functions;  ///< module indices, the kernel first
  std::unordered_map<std::uint32_t, std::uint32_t>
      code_function;  ///< module index -> index in Code::functions
  std::unordered_map<const ptx::Variable*, std::uint32_t> shared_offset;
  std::unordered_map<std::string_view, std::uint32_t> parameter_offset;
  std::uint32_t static_shared_bytes = 0;
};

/// A register before allocation.
struct VirtualRegister {
  std::uint8_t width = 4;           ///< bytes a lane in the frame: 0 predicate, 4, 8, 16
  std::uint8_t declared_bytes = 4;  ///< as `.reg` says: 1, 2, 4, 8, 16
};

/// Latency of a comparison of 64 bits that is two of the machine's, which tells it from one.
inline constexpr std::uint8_t kTwoComparisons = 8;
/// Ins::imm of a sum or product in floating point whose text says how it is rounded (`.rn`): ptxas makes no fused one of it.
inline constexpr std::int64_t kRoundsAsSaid = 1;
/// A product that is part of a sum (folds.cpp): where both are among a function's instructions.
struct FusedProduct {
  std::uint32_t product, sum;
  Operand as;    ///< the register by which the sum asks for it
  bool negated;  ///< that holds the product with the other sign
};
/// A sum or product in floating point, of which one instruction may be made with another (folds.cpp).
bool may_be_fused(Op op);
/// Machine instructions of an exact division, root and reciprocal of floats.
inline constexpr std::uint8_t kDivisionF32 = 12, kRootF32 = 13, kReciprocalF32 = 10;

/// Whether ptxas puts a call to a function, or a branch to one, in the instruction's place.
bool has_slow_path(const Ins& ins);
/// Barriers, fences, calls, waits: ptxas moves no access to memory across one.
bool holds_accesses_back(Op op);

/// Decodes one function. Registers are virtual until allocate() (flow.cpp) gives them places.
class FunctionLowering {
 public:
  FunctionLowering(const ModuleFacts& module, const KernelFacts& kernel, const ptx::Function& function,
                   std::uint32_t module_index, Code& code, ConstantPool& pool);

  /// Appends the function to `code`. What cannot be decoded becomes an `unsupported` instruction.
  /// @throws Refusal if the function needs more memory than any GPU has.
  void run();

 private:
  enum class SymbolKind { none, constant, local, kernel_param, frame_param, function };
  struct Symbol {
    SymbolKind kind = SymbolKind::none;
    std::uint64_t value = 0;
    const ptx::Variable* variable = nullptr;
  };
  /// Thrown inside decoding only, caught in run(): the instruction becomes `unsupported` with this reason.
  struct Undecodable {
    std::string reason;
  };

  // Names.
  void declare_registers();
  void place_variables();
  Symbol symbol(const std::string& name) const;
  /// @return index in registers_, or -1.
  std::int64_t find_register(const std::string& name);
  std::uint32_t temporary(unsigned width);
  std::uint32_t carry();

  // Operands; each records definition or use in `ins_`.
  static constexpr bool kDef = true, kUse = false;
  void set(Field field, Operand value, bool def);
  Operand source(const ptx::Operand& o, unsigned width, bool floating = false, unsigned literal_bytes = 0);
  Operand destination(const ptx::Operand& o, unsigned width);
  Operand predicate_source(const ptx::Operand& o);
  Operand predicate_destination(const std::string& name);
  Operand mask_source(const ptx::Operand& o);
  void address(const ptx::Operand& o, MemoryOp& m);
  std::span<const ptx::Operand> values(const ptx::Operand& o, std::size_t count) const;
  unsigned register_width(const ptx::Operand& value, MemoryOp& m, unsigned index);
  const ptx::Operand& operand(std::size_t index) const;
  [[noreturn]] void fail(std::string reason) const;
  [[noreturn]] void refuse(std::string reason, std::uint32_t ptx_line) const;

  // Instructions.
  void decode(const ptx::Instruction& in);
  bool decode_by_table(const ptx::Instruction& in);
  void decode_mov();
  void decode_setp();
  void decode_set();
  void decode_cvt();
  void decode_cvta();
  void decode_isspacep();
  void decode_load();
  void decode_store();
  void decode_atomic();
  void decode_fence();
  void decode_cp();
  void decode_bulk();
  void decode_mbarrier();
  void decode_cluster_address();
  void decode_store_async();
  void async_address(const ptx::Operand& o, AsyncOp& a, AsyncOp::Place place);
  void attach_async(const AsyncOp& a);
  AtomicOp reduction_from_modifiers() const;
  void decode_prefetch();
  void decode_policy();
  void cache_policy(MemoryOp& m, std::size_t at);
  void decode_matrix();
  void decode_tensor();
  void decode_fragment_access(MatrixOp& op);
  void decode_product(MatrixOp& op);
  void decode_video();
  void decode_lop3_with_predicate();
  void decode_narrow_float(std::string_view kind);
  void decode_stack();
  void decode_texture();
  void decode_image_query();
  void decode_surface();
  bool texture_geometry(std::string_view word, TextureOp& t) const;
  void coordinates(const ptx::Operand& o, const TextureOp& t);
  void decode_warp();
  void decode_barrier();
  void decode_call();
  void decode_branch();
  std::uint32_t branch_table(const std::string& label);
  void compare(const ptx::Operand& destination, bool has_second, std::size_t first_source,
               std::string_view type);
  bool comparison(std::string_view word, std::string_view type, Op& op, bool& swap, bool& invert) const;
  MemoryOp memory_modifiers(NumberType& type, unsigned& count) const;
  void emit();
  void emit_hidden(Ins ins);
  bool has(std::string_view modifier) const;
  bool has_prefix(std::string_view prefix) const;
  void attach_memory(MemoryOp m);

  // flow.cpp
  struct Block {
    std::uint32_t first = 0, last = 0;  ///< instructions [first, last)
    std::vector<std::uint32_t> next;    ///< successors; the virtual exit is blocks.size()
  };
  void link_branches();
  void find_reconvergence(std::vector<Block>& blocks);
  void allocate(std::vector<Block>& blocks);
  struct Interval {
    std::uint32_t first = 0xFFFF'FFFFu, last = 0;
  };
  // kept.cpp
  enum class Kept : std::uint8_t { no, by_warp, by_all };
  std::vector<Kept> find_kept(const std::vector<std::uint32_t>& live_at_entry);
  Kept is_kept_if_operands_are(const Ins& ins) const;
  /// Where each register is live, as positions in body_; and those that are live when the function is entered.
  std::vector<Interval> live_intervals(const std::vector<Block>& blocks,
                                       std::vector<std::uint32_t>& live_at_entry);
  std::vector<Block> make_blocks() const;
  template <class Visit>
  void visit_registers(Ins& ins, Visit&& visit);

  // joins.cpp
  friend class AccessJoiner;
  void join_accesses(const std::vector<Block>& blocks);
  void mark_uniform_atomics();

  // uniform_constants.cpp
  void mark_uniform_constants();

  // waits.cpp
  bool is_far_load(const Ins& ins) const;
  void mark_waits(const std::vector<Block>& blocks);

  // divisors.cpp
  void mark_divisors(const std::vector<Block>& blocks);

  // branches.cpp
  void mark_branches();
  bool jumps_over_a_jump(std::uint32_t jump) const;
  std::int64_t way_forward(std::uint32_t jump, bool in_loop) const;
  /// What counts a loop's turns.
  struct Count {
    const Ins *comparison = nullptr, *step = nullptr;
    Operand counter = 0, bound = 0;
    bool swapped = false;    ///< the bound stands first
    std::uint32_t size = 0;  ///< machine instructions of a turn
  };
  std::optional<Count> count_of(std::uint32_t first, std::uint32_t jump, std::uint32_t longest);
  std::uint32_t turns_side_by_side(std::uint32_t first, std::uint32_t jump);
  bool begins_at(std::uint32_t first, Operand counter, std::uint64_t& value);
  struct Turns {
    std::uint64_t count = 0;  ///< of a loop
    std::uint32_t size = 0;   ///< machine instructions of each
  };
  std::optional<Turns> turns_of(std::uint32_t first, std::uint32_t jump, std::uint32_t longest);
  std::uint32_t mark_unrolled(std::uint32_t first, std::uint32_t jump);
  const Ins* step_of(std::uint32_t first, std::uint32_t jump, Operand counter, Operand copy);

  // folds.cpp
  void mark_folded(const std::vector<Block>& blocks);
  /// Makes sums that take a product along what they are in machine code: one instruction, which rounds once.
  void fuse_products(const std::vector<Block>& blocks);
  std::vector<FusedProduct> fused_;

  // addresses.cpp
  void mark_addresses(const std::vector<Block>& blocks);

  // merges.cpp
  /// Who writes registers, and how often they are written and read.
  struct Makers {
    static constexpr std::uint32_t kNobody = 0xFFFF'FFFFu;
    std::vector<std::uint32_t> writes, reads, maker;
    /// @return the place in the text of the one that writes @p o; kNobody: there is none, or several.
    std::uint32_t made_by(Operand o) const { return o < maker.size() && writes[o] == 1 ? maker[o] : kNobody; }
  };
  Makers makers_of();
  void mark_merged(const std::vector<Block>& blocks);

  // float_numbers.cpp
  void mark_wide_numbers();
  void mark_packed_halves(const Makers& makers);
  void mark_pack(Ins& pack, const Makers& makers);

  // register_banks.cpp
  void mark_register_banks(const std::vector<Block>& blocks);

  // halves.cpp
  void mark_halves(const std::vector<Block>& blocks);

  const ModuleFacts& module_;
  const KernelFacts& kernel_;
  const ptx::Function& function_;
  Code& code_;
  ConstantPool& pool_;
  Function result_;
  std::vector<VirtualRegister> registers_;
  std::unordered_map<std::string, std::uint32_t> names_;
  struct Prefix {
    VirtualRegister kind;
    std::uint32_t count;
  };
  std::unordered_map<std::string_view, Prefix> prefixes_;
  std::unordered_map<std::string_view, Symbol> symbols_;
  std::unordered_map<std::string_view, std::uint32_t> label_of_;  ///< label -> PTX instruction index
  std::unordered_map<std::string, std::uint32_t> table_of_;  ///< label of a list -> index in Code::tables
  std::unordered_set<std::string> read_names_;               ///< registers that some instruction reads
  std::vector<std::uint32_t> position_;                      ///< PTX instruction index -> index in body_
  std::vector<Ins> body_;
  std::vector<std::uint32_t> kept_loops_;  ///< where loops begin whose text says `.pragma "nounroll"`
  std::int64_t carry_ = -1;
  Ins ins_;  ///< the instruction under construction
  const ptx::Instruction* in_ = nullptr;
  std::uint32_t first_memory_op_ = 0, first_table_ = 0;
};

/// Calls visit(operand, is_definition) for every register of @p ins, predicates included; the guard is not
/// one of them.
template <class Visit>
void FunctionLowering::visit_registers(Ins& ins, Visit&& visit) {
  auto field = [&](std::uint8_t bit, Operand& o) {
    if (ins.uses & bit) visit(o, false);
    if (ins.defs & bit) visit(o, true);
  };
  field(kFieldA, ins.a);
  field(kFieldB, ins.b);
  field(kFieldC, ins.c);
  field(kFieldE, ins.e);
  field(kFieldF, ins.f);
  field(kFieldD, ins.d);
  if (ins.flags & kVector) {
    MemoryOp& m = code_.memory_ops[ins.aux];
    for (unsigned i = 0; i < m.count; ++i)
      if (!(m.registers[i] & kPoolBit)) visit(m.registers[i], m.kind == observe::AccessKind::load);
    if (m.kind == observe::AccessKind::atomic)
      for (unsigned i = 0; i < m.count && i < m.results.size(); ++i) visit(m.results[i], true);
  }
  if (ins.flags & kMatrix) {
    MatrixOp& m = code_.matrix_ops[ins.aux2];
    for (Operand& o : m.sources)
      if (!(o & kPoolBit)) visit(o, false);
    for (Operand& o : m.results) visit(o, true);
  }
}

/// Bit by bit, of words.
constexpr bool is_logic(Op op) {
  return op == Op::and_b32 || op == Op::or_b32 || op == Op::xor_b32 || op == Op::not_b32;
}

/// Looks up an operation by its PTX spelling without flag modifiers. @return Op::count if there is none.
Op op_by_spelling(std::string_view spelling);
/// Whether @p opcode is a video instruction (vadd, vabsdiff4, ...).
bool is_video(std::string_view opcode);
/// The table's columns.
struct OpInfo {
  const char* name;
  const char* spellings;
  const char* signature;
  Class cls;
  std::uint8_t latency;
};
const OpInfo& info_of(Op op);

/// @return false if @p word is no number type.
bool number_type_from(std::string_view word, NumberType& type);

/// Numbers of special registers, as `special_register` instructions carry them in `imm`.
enum class Special : std::uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  dynamic_smem_size,
  total_smem_size,
  aggr_smem_size,
  reserved_smem_begin,
  reserved_smem_end,
  reserved_smem_size,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  envreg1,
  envreg2,
  zero,
  current_graph_exec,
  count,
};
/// Shared memory that a block has besides its own, for the system's purposes (cooperative groups larger than a warp keep
/// their barriers there); it lies behind the block's own, in kernels that ask where it is. [bytes]
inline constexpr std::uint32_t kReservedShared = 1024;
/// @return Special::count if @p name is no special register that is simulated.
Special special_from(std::string_view name);
/// Whether it is a clock: %clock and its kin, %globaltimer and its.
bool is_clock(Special s);
inline bool reads_clock(const Ins& ins) {
  return ins.op == Op::special_register && is_clock(static_cast<Special>(ins.imm));
}
/// Bytes of a special register: 4 or 8 (0: a predicate).
unsigned special_bytes(Special s);

}  // namespace simgpu::lower

/// @file
/// Decoding of loads, stores, atomics, fences and asynchronous copies.
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

void FunctionLowering::attach_memory(MemoryOp m) {
  ins_.aux = static_cast<std::uint32_t>(code_.memory_ops.size());
  code_.memory_ops.push_back(m);
}

/// Reads space, cache hints, order, scope, vector size and type off the modifiers.
MemoryOp FunctionLowering::memory_modifiers(NumberType& type, unsigned& count) const {
  MemoryOp m;
  count = 1;
  bool typed = false;
  for (const std::string& word : in_->modifiers) {
    NumberType t;
    if (word == "global")
      m.space = AddressSpace::global;
    else if (word.compare(0, 6, "shared") == 0) {
      m.space = AddressSpace::shared;
      m.of_cluster = word == "shared::cluster";
    } else if (word == "local")
      m.space = AddressSpace::local;
    else if (word == "const")
      m.space = AddressSpace::constant;
    else if (word.compare(0, 5, "param") == 0)
      m.space = AddressSpace::param;
    else if (word == "nc")
      m.non_coherent = true;
    else if (word == "cg")
      m.hint = observe::CacheHint::l2_only;
    else if (word == "cs" || word == "L1::evict_first" || word == "L1::no_allocate") {
      m.hint = observe::CacheHint::streaming;
      m.evict_first |= word == "cs";
    } else if (word == "L2::evict_first")
      m.evict_first = true;
    else if (word == "L2::cache_hint")
      m.has_policy = true;
    else if (word == "lu")
      m.hint = observe::CacheHint::last_use, m.evict_first = true;
    else if (word == "cv")
      m.hint = observe::CacheHint::uncached;
    else if (word == "volatile")
      m.ordering = observe::Ordering::volatile_;
    else if (word == "relaxed")
      m.ordering = observe::Ordering::relaxed;
    else if (word == "acquire")
      m.ordering = observe::Ordering::acquire;
    else if (word == "release")
      m.ordering = observe::Ordering::release;
    else if (word == "acq_rel")
      m.ordering = observe::Ordering::acq_rel;
    else if (word == "cta")
      m.scope = observe::Scope::cta;
    else if (word == "cluster")
      m.scope = observe::Scope::cluster;
    else if (word == "gpu")
      m.scope = observe::Scope::gpu;
    else if (word == "sys")
      m.scope = observe::Scope::sys;
    else if (word == "v2")
      count = 2;
    else if (word == "v4")
      count = 4;
    else if (word == "v8")
      count = 8;
    else if (number_type_from(word, t)) {
      if (!typed) type = t;
      typed = true;
    } else if (word == "ca" || word == "wb" || word == "wt" || word == "weak" || word == "mmio" ||
               word == "noftz" || word.compare(0, 4, "L1::") == 0 || word.compare(0, 4, "L2::") == 0) {
    } else
      m.count = 0;  // a word of the caller's
  }
  m.count = static_cast<std::uint8_t>(count);
  if (!typed) fail("its type is missing");
  m.type = type;
  m.element_bytes = bytes_of(type);
  const unsigned total = m.element_bytes * count;
  if (total > 32) fail("it is wider than 32 bytes");
  m.total_bytes = static_cast<std::uint8_t>(total);
  if (m.ordering == observe::Ordering::volatile_ ||
      (m.ordering != observe::Ordering::weak && m.scope > observe::Scope::cta))
    m.hint = observe::CacheHint::uncached;
  m.spin_hint = m.ordering != observe::Ordering::weak;
  return m;
}

/// Base row into `a`, offset into `imm`.
void FunctionLowering::address(const ptx::Operand& o, MemoryOp& m) {
  m.wide_address = true;
  if (o.kind != ptx::Operand::Kind::address && o.kind != ptx::Operand::Kind::symbol)
    fail("its address has an unexpected form");
  if (o.name.empty()) {
    set(kFieldA, pool_.row(0, 8), kUse);
    ins_.imm = o.offset;
    return;
  }
  if (const std::int64_t r = find_register(o.name); r >= 0) {
    if (registers_[r].width != 4 && registers_[r].width != 8) fail("its address register has the wrong size");
    m.wide_address = registers_[r].width == 8;
    set(kFieldA, static_cast<Operand>(r), kUse);
    ins_.imm = o.offset;
    return;
  }
  ptx::Operand base = o;
  base.kind = ptx::Operand::Kind::symbol;
  base.offset = 0;
  set(kFieldA, source(base, 8), kUse);
  ins_.imm = o.offset;
}

/// The @p count values of an operand: the elements of a vector, or the operand itself.
std::span<const ptx::Operand> FunctionLowering::values(const ptx::Operand& o, std::size_t count) const {
  const std::span<const ptx::Operand> all =
      o.kind == ptx::Operand::Kind::vector ? std::span(o.elements) : std::span(&o, 1);
  if (all.size() != count) fail("its vector size and its registers do not agree");
  return all;
}

/// @return bytes a lane of the register that holds value @p index, which may be wider than the value; noted in @p m.
unsigned FunctionLowering::register_width(const ptx::Operand& value, MemoryOp& m, unsigned index) {
  unsigned width = m.element_bytes <= 4 ? 4 : m.element_bytes;
  const std::int64_t r = value.kind == ptx::Operand::Kind::reg ? find_register(value.name) : -1;
  if (r >= 0) {
    if (registers_[r].width < width || (width == 16) != (registers_[r].width == 16))
      fail("register " + value.name + " has the wrong size");
    width = registers_[r].width;
    if (registers_[r].declared_bytes <= 2) m.registers_half |= static_cast<std::uint8_t>(1u << index);
  }
  if (width == 8) m.registers_wide |= static_cast<std::uint8_t>(1u << index);
  return width;
}

/// The policy of `.L2::cache_hint`, operand @p at, into `e`.
void FunctionLowering::cache_policy(MemoryOp& m, std::size_t at) {
  m.has_policy = m.has_policy && in_->operands.size() > at;
  if (m.has_policy) set(kFieldE, source(operand(at), 8), kUse);
}

void FunctionLowering::decode_load() {
  NumberType type{};
  unsigned count = 1;
  MemoryOp m = memory_modifiers(type, count);
  m.kind = observe::AccessKind::load;
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  const auto to = values(operand(0), count);
  for (unsigned i = 0; i < count; ++i) m.registers[i] = destination(to[i], register_width(to[i], m, i));
  const ptx::Operand& from = operand(1);
  if (m.space == AddressSpace::param) {
    const Symbol s = from.name.empty() ? Symbol{} : symbol(from.name);
    if (s.kind == SymbolKind::kernel_param || s.kind == SymbolKind::frame_param) {
      if (from.offset < 0 || static_cast<std::uint64_t>(from.offset) + m.total_bytes > s.variable->bytes)
        fail("it reads beyond the end of parameter " + from.name);
      ins_.imm = static_cast<std::int64_t>(s.value) + from.offset;
      ins_.op = s.kind == SymbolKind::kernel_param ? Op::ld_param : Op::ld_frame_param;
      attach_memory(m);
      return emit();
    }
  }
  address(from, m);
  cache_policy(m, 2);
  ins_.op = m.space == AddressSpace::global                    ? Op::ld_global
            : m.space == AddressSpace::shared && !m.of_cluster ? Op::ld_shared
                                                               : Op::ld_any;
  attach_memory(m);
  emit();
}

void FunctionLowering::decode_store() {
  NumberType type{};
  unsigned count = 1;
  if (has("async")) return decode_store_async();
  MemoryOp m = memory_modifiers(type, count);
  m.kind = observe::AccessKind::store;
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  const auto from = values(operand(1), count);
  const bool floating = is_float(type) && bytes_of(type) >= 4;
  for (unsigned i = 0; i < count; ++i)
    m.registers[i] = source(from[i], register_width(from[i], m, i), floating);
  const ptx::Operand& to = operand(0);
  if (m.space == AddressSpace::param) {
    const Symbol s = symbol(to.name);
    if (s.kind != SymbolKind::frame_param) fail("it writes to a parameter that is no call argument");
    if (to.offset < 0 || static_cast<std::uint64_t>(to.offset) + m.total_bytes > s.variable->bytes)
      fail("it writes beyond the end of parameter " + to.name);
    ins_.imm = static_cast<std::int64_t>(s.value) + to.offset;
    ins_.op = Op::st_frame_param;
    attach_memory(m);
    return emit();
  }
  address(to, m);
  cache_policy(m, 2);
  ins_.op = m.space == AddressSpace::global                    ? Op::st_global
            : m.space == AddressSpace::shared && !m.of_cluster ? Op::st_shared
                                                               : Op::st_any;
  attach_memory(m);
  emit();
}

void FunctionLowering::decode_atomic() {
  NumberType type{};
  unsigned count = 1;
  const bool is_red = in_->opcode == "red";
  if (has("async")) return decode_store_async();
  MemoryOp m = memory_modifiers(type, count);
  bool found = false;
  constexpr std::pair<const char*, AtomicOp> kOps[] = {
      {"add", AtomicOp::add}, {"exch", AtomicOp::exch}, {"cas", AtomicOp::cas}, {"min", AtomicOp::min},
      {"max", AtomicOp::max}, {"and", AtomicOp::and_},  {"or", AtomicOp::or_},  {"xor", AtomicOp::xor_},
      {"inc", AtomicOp::inc}, {"dec", AtomicOp::dec}};
  for (const auto& [word, op] : kOps)
    if (has(word)) m.atomic = op, found = true;
  if (!found) fail("this atomic operation is not simulated");
  if (m.ordering == observe::Ordering::weak) m.ordering = observe::Ordering::relaxed;
  if (!has("cta") && !has("cluster") && !has("sys")) m.scope = observe::Scope::gpu;
  m.hint = observe::CacheHint::normal;
  m.evict_first = m.has_policy = false;
  m.spin_hint = m.atomic == AtomicOp::cas || m.atomic == AtomicOp::exch;
  const std::size_t first = is_red ? 0 : 1;
  const unsigned width = m.element_bytes <= 4 ? 4 : m.element_bytes;
  const bool floating =
      is_float(type) && bytes_of(type) >= 4 && type != NumberType::f16x2 && type != NumberType::bf16x2;
  const ptx::Operand& value = operand(first + 1);
  ins_.cls = Class::memory;
  bool unused = is_red;
  if (!is_red) {
    const ptx::Operand& to = operand(0);
    unused = true;
    auto note = [&](const ptx::Operand& o) {
      if (o.kind != ptx::Operand::Kind::discard && read_names_.count(o.name)) unused = false;
    };
    if (to.kind == ptx::Operand::Kind::vector)
      for (const ptx::Operand& e : to.elements) note(e);
    else
      note(to);
  }
  m.result_unused = unused;
  m.adds_one = unused && m.atomic == AtomicOp::add && !is_float(type) &&
               value.kind == ptx::Operand::Kind::integer && value.bits == 1;
  m.kind = observe::AccessKind::atomic;
  if (value.kind == ptx::Operand::Kind::vector) {
    if (value.elements.size() != count || count > 4 || m.atomic == AtomicOp::cas)
      fail("its vector size and its registers do not agree");
    ins_.flags |= kVector;
    for (unsigned i = 0; i < count; ++i) {
      m.registers[i] = source(value.elements[i], width, floating);
      m.results[i] =
          is_red
              ? temporary(width)
              : destination(operand(0).elements.size() == count ? operand(0).elements[i] : operand(0), width);
    }
  } else {
    if (count != 1) fail("its vector size and its registers do not agree");
    set(kFieldB, source(value, width, floating), kUse);
    if (m.atomic == AtomicOp::cas) set(kFieldC, source(operand(first + 2), width), kUse);
    if (!is_red) set(kFieldD, destination(operand(0), width), kDef);
  }
  address(operand(first), m);
  ins_.op = Op::atom;
  attach_memory(m);
  emit();
}

/// ldmatrix, stmatrix, movmatrix: the whole warp takes part.
void FunctionLowering::decode_matrix() {
  ins_.flags |= kGather;
  set(kFieldE, pool_.row(0xFFFF'FFFFu, 4), kUse);
  if (!has("m8n8") || in_->modifiers.back() != "b16") fail("this shape of a matrix is not simulated");
  if (in_->opcode == "movmatrix") {
    ins_.op = Op::movmatrix;
    ins_.cls = Class::shuffle;
    set(kFieldA, source(operand(1), 4), kUse);
    set(kFieldD, destination(operand(0), 4), kDef);
    return emit();
  }
  const bool load = in_->opcode == "ldmatrix";
  MemoryOp m;
  m.space = has_prefix("shared") ? AddressSpace::shared : AddressSpace::generic;
  m.kind = load ? observe::AccessKind::load : observe::AccessKind::store;
  m.type = NumberType::b16;
  m.element_bytes = m.total_bytes = 16;  // a row
  m.count = has("x4") ? 4 : has("x2") ? 2 : 1;
  const ptx::Operand& registers = operand(load ? 0 : 1);
  const bool vector = registers.kind == ptx::Operand::Kind::vector;
  if (vector ? registers.elements.size() != m.count : m.count != 1)
    fail("its matrices and its registers do not agree");
  for (unsigned i = 0; i < m.count; ++i) {
    const ptx::Operand& r = vector ? registers.elements[i] : registers;
    m.registers[i] = load ? destination(r, 4) : source(r, 4);
  }
  address(operand(load ? 1 : 0), m);
  ins_.op = load ? Op::ldmatrix : Op::stmatrix;
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  ins_.aux2 = has("trans");
  attach_memory(m);
  emit();
}

void FunctionLowering::decode_fence() {
  ins_.op = Op::fence;
  ins_.cls = Class::memory;
  ins_.latency = 20;
  // Fences of other kinds order no threads. Those that show ordinary stores to the copy engine: -2 of all memory, -3 of global memory alone,
  // -4 of shared memory alone; else -1.
  ins_.imm = -1;
  if (has_prefix("proxy") && has("async")) ins_.imm = has("global") ? -3 : has_prefix("shared") ? -4 : -2;
  if (!has_prefix("proxy") && !has_prefix("mbarrier_init")) {
    ins_.imm = static_cast<std::int64_t>(observe::Scope::gpu);
    if (has("cta")) ins_.imm = static_cast<std::int64_t>(observe::Scope::cta);
    if (has("cluster")) ins_.imm = static_cast<std::int64_t>(observe::Scope::cluster);
    if (has("sys")) ins_.imm = static_cast<std::int64_t>(observe::Scope::sys);
  }
  emit();
}

/// createpolicy.fractional and .range: the word of the primary priority, whatever share of the accesses it is for. .cvt: the
/// access property as it is.
void FunctionLowering::decode_policy() {
  ins_.op = Op::mov_b64;
  ins_.cls = Class::control;
  std::uint64_t word = kPolicyNormal;
  for (const std::string& priority : in_->modifiers) {
    if (priority.compare(0, 4, "L2::") != 0) continue;
    if (priority == "L2::evict_first") word = kPolicyEvictFirst;
    if (priority == "L2::evict_last") word = kPolicyEvictLast;
    break;  // a second one is for the rest
  }
  set(kFieldA, has("cvt") ? source(operand(1), 8) : pool_.row(word, 8), kUse);
  set(kFieldD, destination(operand(0), 8), kDef);
  emit();
}

void FunctionLowering::decode_prefetch() {
  ins_.op = in_->opcode == "nanosleep" ? Op::nanosleep : Op::nop;
  ins_.cls = in_->opcode == "prefetch" ? Class::memory : Class::control;
  if (in_->opcode == "griddepcontrol") {
    ins_.imm = has("wait") ? kGridDependencyWait : kGridDependencyTrigger;
    code_.launches_dependents |= !has("wait");
  }
  if (ins_.op == Op::nanosleep) set(kFieldA, source(operand(0), 4), kUse);
  emit();
}

/// `cp.async` and its groups.
void FunctionLowering::decode_cp() {
  ins_.cls = Class::memory;
  if (has("bulk")) return decode_bulk();
  if (has("mbarrier")) {  // cp.async.mbarrier.arrive{.noinc}.b64 [addr]
    AsyncOp a;
    a.space[AsyncOp::kTo] = has_prefix("shared") ? AddressSpace::shared : AddressSpace::generic;
    async_address(operand(0), a, AsyncOp::kTo);
    if (has("noinc")) ins_.flags |= kTwo;
    ins_.op = Op::cp_async_mbarrier;
    attach_async(a);
    return emit();
  }
  if (has("commit_group")) {
    ins_.op = Op::cp_async_commit;
    return emit();
  }
  if (has("wait_all")) {
    ins_.op = Op::cp_async_wait_all;
    return emit();
  }
  if (has("wait_group")) {
    ins_.op = Op::cp_async_wait;
    ins_.imm = static_cast<std::int64_t>(operand(0).bits);
    return emit();
  }
  if (!has_prefix("shared") || !has("global")) fail("this copy is not simulated");
  MemoryOp m;
  m.space = AddressSpace::shared;
  m.hint = has("cg") ? observe::CacheHint::l2_only : observe::CacheHint::normal;
  if (operand(2).kind != ptx::Operand::Kind::integer) fail("its size is not a number");
  const std::uint64_t bytes = operand(2).bits;
  if (bytes != 4 && bytes != 8 && bytes != 16) fail("its size is not 4, 8 or 16 bytes");
  m.total_bytes = m.element_bytes = static_cast<std::uint8_t>(bytes);
  address(operand(1), m);
  set(kFieldB, ins_.a, kUse);
  if (!m.wide_address) fail("its source address has 32 bits");
  ins_.uses &= static_cast<std::uint8_t>(~kFieldA);
  ins_.aux2 = static_cast<std::uint32_t>(static_cast<std::int32_t>(ins_.imm));
  address(operand(0), m);
  if (in_->operands.size() > (has("L2::cache_hint") ? 4u : 3u)) {  // bytes to read, or a predicate: none
    const ptx::Operand& o = operand(3);
    const std::int64_t r = o.kind == ptx::Operand::Kind::reg ? find_register(o.name) : -1;
    if (r >= 0 && registers_[r].width == 0) {
      ins_.flags |= kTwo;
      set(kFieldC, predicate_source(o), kUse);
    } else {
      set(kFieldC, source(o, 4), kUse);
    }
  }
  m.has_policy = has("L2::cache_hint");
  cache_policy(m, in_->operands.size() - 1);
  ins_.op = Op::cp_async;
  attach_memory(m);
  emit();
}

}  // namespace simgpu::lower

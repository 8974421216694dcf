/// @file
/// Decoding of mbarriers, bulk and tensor copies, asynchronous stores, and addresses within a cluster.
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

void FunctionLowering::attach_async(const AsyncOp& a) {
  ins_.aux2 = static_cast<std::uint32_t>(code_.async_ops.size());
  code_.async_ops.push_back(a);
}

void FunctionLowering::async_address(const ptx::Operand& o, AsyncOp& a, AsyncOp::Place place) {
  if (o.kind != ptx::Operand::Kind::address && o.kind != ptx::Operand::Kind::symbol &&
      o.kind != ptx::Operand::Kind::texture)
    fail("its address has an unexpected form");
  const Field field = place == AsyncOp::kTo ? kFieldA : place == AsyncOp::kFrom ? kFieldB : kFieldC;
  a.offset[place] = o.offset;
  a.wide[place] = true;
  if (o.name.empty()) return set(field, pool_.row(0, 8), kUse);
  if (const std::int64_t r = find_register(o.name); r >= 0) {
    if (registers_[r].width != 4 && registers_[r].width != 8) fail("its address register has the wrong size");
    a.wide[place] = registers_[r].width == 8;
    return set(field, static_cast<Operand>(r), kUse);
  }
  ptx::Operand base;
  base.kind = ptx::Operand::Kind::symbol;
  base.name = o.name;
  set(field, source(base, 8), kUse);
}

/// add, min, ... among the modifiers.
AtomicOp FunctionLowering::reduction_from_modifiers() const {
  constexpr std::pair<const char*, AtomicOp> kOps[] = {
      {"add", AtomicOp::add}, {"min", AtomicOp::min},  {"max", AtomicOp::max}, {"and", AtomicOp::and_},
      {"or", AtomicOp::or_},  {"xor", AtomicOp::xor_}, {"inc", AtomicOp::inc}, {"dec", AtomicOp::dec}};
  for (const auto& [word, op] : kOps)
    if (has(word)) return op;
  fail("this reduction is not simulated");
}

/// `mbarrier.*`: the object's address in a, results in d; counts in e, tokens and parities in b.
void FunctionLowering::decode_mbarrier() {
  ins_.cls = Class::memory;
  ins_.latency = 20;
  AsyncOp a;
  a.space[AsyncOp::kTo] = has_prefix("shared") ? AddressSpace::shared : AddressSpace::generic;
  a.relaxed = has("relaxed");
  const auto object = [&](std::size_t n) { async_address(operand(n), a, AsyncOp::kTo); };
  if (has("pending_count")) {
    ins_.op = Op::mbarrier_pending_count;
    set(kFieldD, destination(operand(0), 4), kDef);
    set(kFieldB, source(operand(1), 8), kUse);
  } else if (has("init")) {
    ins_.op = Op::mbarrier_init;
    object(0);
    set(kFieldE, source(operand(1), 4), kUse);
  } else if (has("inval")) {
    ins_.op = Op::mbarrier_inval;
    object(0);
  } else if (has("expect_tx") && !has("arrive") && !has("arrive_drop")) {
    ins_.op = Op::mbarrier_expect_tx;
    object(0);
    set(kFieldE, source(operand(1), 4), kUse);
  } else if (has("complete_tx")) {
    ins_.op = Op::mbarrier_complete_tx;
    object(0);
    set(kFieldE, source(operand(1), 4), kUse);
  } else if (has("arrive") || has("arrive_drop")) {
    ins_.op = Op::mbarrier_arrive;
    if (has("arrive_drop")) ins_.flags |= kTwo;
    ins_.imm = has("expect_tx");  // what the operand after the address is: bytes, or arrivals
    std::size_t next = 0;
    if (operand(0).kind != ptx::Operand::Kind::address && operand(0).kind != ptx::Operand::Kind::symbol) {
      if (operand(0).kind == ptx::Operand::Kind::reg) set(kFieldD, destination(operand(0), 8), kDef);
      next = 1;
    }
    object(next);
    if (in_->operands.size() > next + 1) set(kFieldE, source(operand(next + 1), 4), kUse);
    if (ins_.imm && in_->operands.size() <= next + 1) fail("it has too few operands");
  } else if (has("test_wait") || has("try_wait")) {
    ins_.op = has("test_wait") ? Op::mbarrier_test_wait : Op::mbarrier_try_wait;
    if (has("parity")) ins_.flags |= kTwo;
    set(kFieldD, predicate_destination(operand(0).name), kDef);
    object(1);
    set(kFieldB, source(operand(2), has("parity") ? 4 : 8), kUse);
  } else {
    fail("this operation on an mbarrier is not simulated");
  }
  attach_async(a);
  emit();
}

/// `cp.async.bulk...` and `cp.reduce.async.bulk...`.
void FunctionLowering::decode_bulk() {
  if (has("commit_group")) {
    ins_.op = Op::bulk_commit;
    return emit();
  }
  AsyncOp a;
  if (has("wait_group")) {
    ins_.op = Op::bulk_wait;
    ins_.imm = static_cast<std::int64_t>(operand(0).bits);
    a.reads_only = has("read");
    attach_async(a);
    return emit();
  }
  if (has_prefix("im2col") || has_prefix("tile::")) fail("only the tile mode of tensor copies is simulated");
  if (has("cp_mask")) fail("byte masks of bulk copies are not simulated");
  a.tensor = has("tensor");
  a.reduces = has("reduce");
  a.multicast = has_prefix("multicast");
  a.prefetch = has("prefetch");
  std::size_t dimensions = 0;
  if (a.tensor)
    for (std::size_t d = 1; d <= 5; ++d)
      if (has(std::to_string(d) + "d")) dimensions = d;
  if (a.tensor && dimensions == 0) fail("its number of dimensions is missing");
  if (a.reduces) {
    a.atomic = reduction_from_modifiers();
    if (!a.tensor && !number_type_from(in_->modifiers.back(), a.type)) fail("its type is missing");
  }
  // The first space is the destination's, the second the source's.
  std::vector<std::string_view> spaces;
  for (const std::string& m : in_->modifiers)
    if (m == "global" || m.compare(0, 6, "shared") == 0) spaces.push_back(m);
  const bool to_global = !spaces.empty() && spaces[0] == "global" && !a.prefetch;
  if (spaces.size() < (a.prefetch ? 1u : 2u) && !(a.prefetch && a.tensor))
    fail("its state spaces are missing");
  const auto coordinates = [&](const ptx::Operand& o) {
    if (o.kind != ptx::Operand::Kind::texture || o.elements.size() != dimensions)
      fail("its tensor map and coordinates have an unexpected form");
    MemoryOp m;
    m.kind = observe::AccessKind::store;  // registers that are read
    m.count = static_cast<std::uint8_t>(dimensions);
    for (std::size_t d = 0; d < dimensions; ++d) m.registers[d] = source(o.elements[d], 4);
    ins_.flags |= kVector;
    attach_memory(m);
  };
  if (a.prefetch) {
    ins_.op = Op::bulk_load;
    a.space[AsyncOp::kFrom] = a.tensor ? AddressSpace::generic : AddressSpace::global;
    async_address(operand(0), a, AsyncOp::kFrom);
    if (a.tensor)
      coordinates(operand(0));
    else
      set(kFieldE, source(operand(1), 4), kUse);
  } else if (to_global) {
    ins_.op = Op::bulk_store;
    if (!has("bulk_group")) fail("its completion mechanism is not simulated");
    a.space[AsyncOp::kTo] = a.tensor ? AddressSpace::generic : AddressSpace::global;
    a.space[AsyncOp::kFrom] = AddressSpace::shared;
    async_address(operand(0), a, AsyncOp::kTo);
    async_address(operand(1), a, AsyncOp::kFrom);
    if (a.tensor)
      coordinates(operand(0));
    else
      set(kFieldE, source(operand(2), 4), kUse);
  } else {
    ins_.op = Op::bulk_load;
    if (!has("mbarrier::complete_tx::bytes")) fail("its completion mechanism is not simulated");
    a.space[AsyncOp::kTo] = a.space[AsyncOp::kBarrier] = AddressSpace::shared;
    a.space[AsyncOp::kFrom] = a.tensor                ? AddressSpace::generic
                              : spaces[1] == "global" ? AddressSpace::global
                                                      : AddressSpace::shared;
    async_address(operand(0), a, AsyncOp::kTo);
    async_address(operand(1), a, AsyncOp::kFrom);
    std::size_t next = 2;
    if (a.tensor)
      coordinates(operand(1));
    else
      set(kFieldE, source(operand(next++), 4), kUse);
    async_address(operand(next++), a, AsyncOp::kBarrier);
    if (a.multicast) set(kFieldF, source(operand(next), 4), kUse);
  }
  attach_async(a);
  emit();
}

/// `st.async` and `red.async`: to a, the mbarrier in c, values in registers.
void FunctionLowering::decode_store_async() {
  NumberType type{};
  unsigned count = 1;
  MemoryOp m = memory_modifiers(type, count);
  if (m.space == AddressSpace::global || !has("mbarrier::complete_tx::bytes"))
    fail("this form of asynchronous store is not simulated");
  m.kind = observe::AccessKind::store;
  m.count = static_cast<std::uint8_t>(count);
  ins_.cls = Class::memory;
  ins_.flags |= kVector;
  AsyncOp a;
  a.type = type;
  a.reduces = in_->opcode == "red";
  if (a.reduces) a.atomic = reduction_from_modifiers();
  a.space[AsyncOp::kTo] = a.space[AsyncOp::kBarrier] = AddressSpace::shared;
  const auto value = values(operand(1), count);
  const unsigned width = m.element_bytes <= 4 ? 4 : m.element_bytes;
  if (width > 8) fail("its elements are wider than 8 bytes");
  for (unsigned n = 0; n < count; ++n) {
    if (width == 8) m.registers_wide |= static_cast<std::uint8_t>(1u << n);
    m.registers[n] = source(value[n], width, is_float(type) && bytes_of(type) >= 4);
  }
  async_address(operand(0), a, AsyncOp::kTo);
  async_address(operand(2), a, AsyncOp::kBarrier);
  ins_.op = Op::store_async;
  attach_memory(m);
  attach_async(a);
  emit();
}

/// `mapa` and `getctarank`: addresses of shared memory in a cluster.
void FunctionLowering::decode_cluster_address() {
  const bool map = in_->opcode == "mapa";
  const bool shared = has_prefix("shared");
  const bool wide = in_->modifiers.empty() ? false : in_->modifiers.back() == "u64";
  ins_.op = map ? Op::mapa : Op::getctarank;
  ins_.cls = Class::integer;
  ins_.imm = shared;  // an offset in the window, not a generic address
  unsigned width = map ? (wide ? 8 : 4) : 4;
  if (!map) {  // the type is the result's; the address has the size of its register
    width = 8;
    if (const std::int64_t r = find_register(operand(1).name); r >= 0) width = registers_[r].width;
    if (width != 4 && width != 8) fail("its address register has the wrong size");
  }
  ins_.aux = width == 8;
  set(kFieldA, source(operand(1), width), kUse);
  if (map) set(kFieldB, source(operand(2), 4), kUse);
  set(kFieldD, destination(operand(0), map ? width : 4), kDef);
  emit();
}

}  // namespace simgpu::lower

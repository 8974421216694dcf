/// @file
/// See unwritten.hpp. Which operands an operation has is known from its decoding; only those need a rule of their own
/// that copy, choose, or can have a result that one operand alone decides.
#include "simgpu/exec/unwritten.hpp"

#include <algorithm>
#include <array>

#include "simgpu/lower/fragments.hpp"

namespace simgpu::exec {
namespace {

/// The last column of lower/opcodes.def.
enum class Manner : u8 {
  computes,  ///< depends on all operands
  copies,    ///< the bits of one operand
  joins,     ///< bits of several operands side by side
  sets_predicate,
  ands,
  ors,
  selects,
  packs,
  unpacks,
  forgets,  ///< crosses lanes, or results from elsewhere: taken to be good
  memory,
  controls,
};

constexpr Manner kManners[] = {
#define OP(id, spellings, signature, cls, latency, unwritten) Manner::unwritten,
#include "simgpu/lower/opcodes.def"
#undef OP
};

Manner manner_of(Op op) {
  return kManners[static_cast<std::size_t>(op)];
}

bool is_shuffle(Op op) {
  return op == Op::shfl_up || op == Op::shfl_down || op == Op::shfl_bfly || op == Op::shfl_idx;
}
bool is_combination(Op op) {
  return op == Op::vote_all || op == Op::vote_any || op == Op::vote_uni || op == Op::redux;
}

void tell_use(const Warp& w, const observe::UnwrittenUse& use) {
  for (observe::Observer* o : w.machine->observers) o->unwritten_used(use);
}

}  // namespace

UnwrittenValues::Value UnwrittenValues::at(const Warp& w, Operand o) const {
  if (o == lower::kNoOperand || (o & lower::kPoolBit)) return {};
  return at(w.row<std::byte>(o));
}

UnwrittenValues::Value UnwrittenValues::at(const std::byte* row) const {
  for (const Value& v : values_)
    if (v.row == row) return v;
  return {};
}

void UnwrittenValues::set(const Warp& w, Operand o, u32 mask, Value value) {
  if (o == lower::kNoOperand || (o & lower::kPoolBit)) return;
  set(w.row<std::byte>(o), mask, value);
}

void UnwrittenValues::set(const std::byte* row, u32 mask, Value value) {
  value.row = row;
  value.lanes &= mask;
  value.computed &= value.lanes;
  const auto it =
      std::find_if(values_.begin(), values_.end(), [&](const Value& v) { return v.row == value.row; });
  if (it == values_.end()) {
    if (value.lanes) values_.push_back(value);
    return;
  }
  it->lanes = (it->lanes & ~mask) | value.lanes;
  it->computed = (it->computed & ~mask) | value.computed;
  if (value.lanes) it->load = value.load;
  if (it->lanes == 0) {
    *it = values_.back();
    values_.pop_back();
  }
}

void UnwrittenValues::set_results(const Warp& w, const Ins& i, u32 mask, const Value& value) {
  each_operand(i, i.defs, [&](Operand o) { set(w, o, mask, value); });
}

UnwrittenValues::Value UnwrittenValues::all_operands(const Warp& w, const Ins& i) const {
  Value all;
  each_operand(i, i.uses, [&](Operand o) {
    const Value v = at(w, o);
    if (v.lanes && !all.lanes) all.load = v.load;
    all.lanes |= v.lanes;
    all.computed |= v.computed;
  });
  return all;
}

std::size_t UnwrittenValues::begin_load(const observe::Site* site) {
  std::size_t n = 0;
  while (n < loads_.size() && loads_[n].site != site) ++n;
  if (n == loads_.size()) loads_.emplace_back();
  // What is still being followed keeps the addresses where it began.
  if (std::none_of(values_.begin(), values_.end(), [n](const Value& v) { return v.load == n; }))
    loads_[n].known = 0;
  loads_[n].site = site;
  return n;
}

void UnwrittenValues::load(const Warp& w, const Ins& i, const MemoryOp& m, const u64* address,
                           observe::Memory memory, const observe::Unwritten& found) {
  const std::size_t n = begin_load(w.machine->site_of(i));
  Load& load = loads_[n];
  load.memory = memory;
  const u32 element = m.element_bytes >= 32 ? kFull : (1u << m.element_bytes) - 1;
  load.barren = (load.barren & ~found.lanes) | found.barren;
  std::array<u32, 8> lanes{};
  for (u32 rest = found.lanes; rest; rest &= rest - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(rest));
    if (!(load.known >> l & 1))
      load.address[l] = address[l] + static_cast<u32>(__builtin_ctz(found.bytes[l]));
    load.known |= 1u << l;
    for (u32 k = 0; k < m.count; ++k)
      if ((found.bytes[l] >> k * m.element_bytes & element) == element) lanes[k] |= 1u << l;
  }
  for (u32 k = 0; k < m.count; ++k) set(w, m.registers[k], lanes[k], {nullptr, lanes[k], 0, n});
}

void UnwrittenValues::copy(Warp& w, const Ins& i, const u64* address, observe::Unwritten& found) {
  for (u32 rest = found.barren; rest; rest &= rest - 1) {
    const auto l = static_cast<u32>(__builtin_ctz(rest));
    found.lanes &= ~(1u << l);
    tell_use(w,
             {w.machine->site_of(i), w.machine->site_of(i), &w.id, l, observe::Memory::global, address[l]});
  }
}

void begin_unwritten(Warp& w, const Ins& i, const MemoryOp& m, const u64* address, observe::Memory memory,
                     const observe::Unwritten& found) {
  if (!w.unwritten) w.unwritten = std::make_unique<UnwrittenValues>(UnwrittenValues::From::memory);
  w.machine->attention = true;
  w.unwritten->load(w, i, m, address, memory, found);
}

void UnwrittenValues::shuffle(const Warp& w, const Ins& i, u32 mask, u32 missing, const u32* from) {
  Value result;
  if (from_ == From::nowhere) {
    result = at(w, i.a);  // which may be the row of the result
    const u32 there = result.lanes;
    result.lanes = missing;
    for (u32 rest = there != 0 ? mask & ~missing : 0; rest; rest &= rest - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(rest));
      result.lanes |= (there >> from[l] & 1) << l;
    }
    if (missing) {
      result.load = begin_load(w.machine->site_of(i));
      loads_[result.load].known |= missing;
    }
    result.computed = result.lanes;
  }
  set(w, i.d, mask, result);
  if (i.f != lower::kNoOperand) set(w, i.f, mask, {});
}

void UnwrittenValues::combine(const Warp& w, const Ins& i, u32 mask) {
  Value result;
  if (from_ == From::nowhere) {
    result = at(w, i.a);
    result.lanes &= mask;
    // The others' votes may decide.
    if (i.op != Op::redux && result.lanes != 0) {
      const u32 good = mask & ~result.lanes, yes = w.predicate(i.a) & good, no = good & ~yes;
      if (i.op == Op::vote_all ? no != 0 : i.op == Op::vote_any ? yes != 0 : yes != 0 && no != 0)
        result.lanes = 0;
    }
    result.lanes = result.computed = result.lanes != 0 ? mask : 0;
  }
  set(w, i.d, mask, result);
}

void follow_combination(Warp& w, const Ins& i, u32 mask) {
  for (auto* const trail : {&w.unwritten, &w.undefined}) {
    if (!*trail) continue;
    (*trail)->combine(w, i, mask);
    if ((*trail)->empty()) trail->reset();
  }
}

void UnwrittenValues::move(const std::byte* to, const std::byte* from, u32 lanes) {
  set(to, lanes, at(from));
}

void follow_shuffle(Warp& w, const Ins& i, u32 mask, u32 missing, const u32* from) {
  if (w.machine->site_of(i) == nullptr) return;
  if (missing != 0 && !w.undefined) {
    w.undefined = std::make_unique<UnwrittenValues>(UnwrittenValues::From::nowhere);
    w.machine->attention = true;
  }
  for (auto* const trail : {&w.unwritten, &w.undefined}) {
    if (!*trail) continue;
    (*trail)->shuffle(w, i, mask, missing, from);
    if ((*trail)->empty()) trail->reset();
  }
}

void UnwrittenValues::use(Warp& w, const Ins& i, const Value& value, u32 lanes) {
  const Load& load = loads_[value.load];
  if (from_ == From::nowhere) {
    for (observe::Observer* o : w.machine->observers)
      o->used_from_nowhere(*load.site, *w.machine->site_of(i), w.id, load.known);
    const std::size_t number = value.load;
    std::erase_if(values_, [number](const Value& v) { return v.load == number; });
    return;
  }
  // What comes from several loads has lanes of all of them: one of this load's, whose address is known.
  const u32 of_load = lanes & load.known;
  const auto lane = static_cast<u32>(__builtin_ctz(of_load != 0 ? of_load : lanes));
  tell_use(w, {load.site, w.machine->site_of(i), &w.id, lane, load.memory, load.address[lane]});
  // Once is enough.
  const std::size_t number = value.load;
  std::erase_if(values_, [number](const Value& v) { return v.load == number; });
}

void UnwrittenValues::step_memory(Warp& w, const Ins& i, u32 mask) {
  const MemoryOp& m = w.machine->code.memory_ops[i.aux];
  if (i.op != Op::ld_frame_param && i.op != Op::st_frame_param && i.op != Op::ld_param) {
    const Value address = at(w, i.a);
    if (const u32 lanes = address.lanes & mask) use(w, i, address, lanes);
  }
  if (i.op == Op::atom) {
    const Value v = all_operands(w, i);
    if (const u32 lanes = v.lanes & mask) use(w, i, v, lanes);
    for (u32 k = 0; k < m.count && (i.flags & lower::kVector); ++k) set(w, m.results[k], mask, {});
    set_results(w, i, mask, {});
  } else if (i.op == Op::ld_global || i.op == Op::ld_shared || i.op == Op::ld_param || i.op == Op::ld_any ||
             i.op == Op::ld_frame_param || i.op == Op::wmma_load) {
    for (u32 k = 0; k < m.count; ++k) set(w, m.registers[k], mask, {});
  }
}

bool UnwrittenValues::store(Warp& w, const Ins& i, const MemoryOp& m, observe::Memory memory, u32 mask,
                            observe::Unwritten& bytes) {
  const u32 element = m.element_bytes >= 32 ? kFull : (1u << m.element_bytes) - 1;
  for (u32 k = 0; k < m.count; ++k) {
    const Value v = at(w, m.registers[k]);
    const u32 lanes = v.lanes & mask;
    if (!lanes) continue;
    const Load& load = loads_[v.load];
    // Copies of shared and local memory are a block's own affair: it may move about what it will never look at.
    u32 matters = v.computed & lanes;
    if (from_ == From::nowhere) {
      // What is put into local memory is not followed: the thread may never look at it.
      if (memory != observe::Memory::local) use(w, i, v, lanes);
      continue;
    }
    if (load.memory == observe::Memory::global)
      matters |= load.barren & lanes;
    else if (memory != observe::Memory::global)
      matters = 0;
    if (memory == observe::Memory::local) matters = 0;
    if (matters) {
      use(w, i, v, matters);
      continue;
    }
    for (u32 rest = lanes; rest; rest &= rest - 1) {
      const auto l = static_cast<u32>(__builtin_ctz(rest));
      if (!(bytes.lanes >> l & 1)) bytes.bytes[l] = 0;
      bytes.lanes |= 1u << l;
      bytes.bytes[l] |= element << k * m.element_bytes;
    }
  }
  return bytes.lanes != 0;
}

/// An element of a product depends on a row of a, a column of b, and what it is added to: other elements stay good.
void UnwrittenValues::step_product(const Warp& w, const lower::MatrixOp& product, u32 mask) {
  using lower::MatrixPart;
  if (product.quads) {  // an old shape, of which compilers make nothing any more: taken to be good
    for (const Operand o : product.results) set(w, o, mask, {});
    return;
  }
  std::size_t load = 0;
  const auto bad_lanes = [&](u32 number) {
    const Value v = at(w, product.sources[number]);
    if (v.lanes & mask) load = v.load;
    return v.lanes & mask;
  };
  const auto bad_lines = [&](MatrixPart part, u32 first, u32 count) {
    const lower::Fragment f = lower::fragment_of(product, part);
    u32 lines = 0;
    for (u32 r = 0; r < count; ++r)
      for (u32 lanes = bad_lanes(first + r); lanes; lanes &= lanes - 1)
        lines |=
            1u << (f.tile(r / f.registers_per_tile()).outer + static_cast<u32>(__builtin_ctz(lanes)) / 4);
    return lines;
  };
  const u32 first_b = product.counts[0], first_c = first_b + product.counts[1];
  const u32 rows = bad_lines(MatrixPart::a, 0, first_b),
            columns = bad_lines(MatrixPart::b, first_b, product.counts[1]);
  const lower::Fragment c = lower::fragment_of(product, MatrixPart::c),
                        sum = lower::fragment_of(product, MatrixPart::sum);
  std::array<u32, 8> bad{};  // of the tiles of sums
  for (u32 r = 0; r < product.counts[2]; ++r) bad[r / c.registers_per_tile()] |= bad_lanes(first_c + r);
  for (u32 n = 0; n < sum.tiles(); ++n) {
    const lower::Fragment::Place tile = sum.tile(n);
    for (u32 l = 0; l < 32; ++l)
      bad[n] |= ((rows >> (tile.outer + l / 4) & 1) |
                 static_cast<u32>((columns >> (tile.inner + l % 4 * 2) & 3) != 0))
                << l;
  }
  for (u32 r = 0; r < product.results.size(); ++r) {
    const u32 lanes = bad[r / sum.registers_per_tile()];
    set(w, product.results[r], mask, {nullptr, lanes, lanes, load});
  }
}

void UnwrittenValues::step(Warp& w, const Ins& i, u32 mask) {
  const Manner manner = manner_of(i.op);
  Value guard;
  if (i.guard != lower::kNoGuard) {
    guard = at(w, i.guard >> 1);
    guard.lanes &= w.mask;
    guard.computed = guard.lanes;
    if (guard.lanes && (manner == Manner::controls || manner == Manner::memory)) {
      use(w, i, guard, guard.lanes);
      guard = {};
    }
  }
  Value v;
  switch (manner) {
    case Manner::memory:
      step_memory(w, i, mask);
      return;
    case Manner::controls:
      if (i.op == Op::brx_idx || i.op == Op::call) {
        v = all_operands(w, i);
        if (const u32 lanes = v.lanes & mask) use(w, i, v, lanes);
      }
      return;
    case Manner::forgets:
      if (is_shuffle(i.op) || is_combination(i.op)) return;  // once it is executed
      if (i.op == Op::tex || i.op == Op::tex_gradient_level || i.op == Op::surface_load) {
        const MemoryOp& m = w.machine->code.memory_ops[i.aux];
        for (u32 k = 0; k < m.count; ++k) set(w, m.registers[k], mask, {});
      }
      if (const lower::MatrixOp* const product = matrix_op_of(w, i)) return step_product(w, *product, mask);
      break;
    case Manner::computes:
      v = all_operands(w, i);
      v.computed = v.lanes;
      break;
    case Manner::copies:
      v = all_operands(w, i);
      break;
    case Manner::joins: {
      v = all_operands(w, i);
      each_operand(i, i.uses, [&](Operand o) {
        if (!(o & lower::kPoolBit)) v.lanes &= at(w, o).lanes;
      });
      break;
    }
    case Manner::packs: {
      const MemoryOp& m = w.machine->code.memory_ops[i.aux];
      v = at(w, m.registers[0]);
      for (u32 k = 1; k < m.count; ++k) v.lanes &= at(w, m.registers[k]).lanes;
      break;
    }
    case Manner::unpacks: {
      const MemoryOp& m = w.machine->code.memory_ops[i.aux];
      v = at(w, i.a);
      for (u32 k = 0; k < m.count; ++k) set(w, m.registers[k], mask, v);
      return;
    }
    case Manner::sets_predicate: {
      const Value a = at(w, i.a), b = at(w, i.b), c = i.imm ? at(w, i.c) : Value{};
      u32 lanes = a.lanes | b.lanes;
      if (i.imm == 1) lanes &= w.predicate(i.c) | c.lanes;
      if (i.imm == 2) lanes &= ~w.predicate(i.c) | c.lanes;
      v.load = a.lanes ? a.load : b.lanes ? b.load : c.load;
      v.lanes = v.computed = lanes | c.lanes;
      break;
    }
    case Manner::ands:
    case Manner::ors: {
      const Value a = at(w, i.a), b = at(w, i.b);
      const u32 flip = manner == Manner::ors ? kFull : 0;  // a false operand decides an and, a true one an or
      const u32 x = w.predicate(i.a) ^ flip, y = w.predicate(i.b) ^ flip;
      v.load = a.lanes ? a.load : b.load;
      v.lanes = v.computed = (a.lanes & b.lanes) | (a.lanes & y) | (b.lanes & x);
      break;
    }
    case Manner::selects: {
      const Value a = at(w, i.a), b = at(w, i.b), p = at(w, i.c);
      const u32 chosen = w.predicate(i.c);
      const u32 from_a = a.lanes & chosen, from_b = b.lanes & ~chosen;
      v.load = (from_a & mask) ? a.load : (from_b & mask) ? b.load : p.load;
      v.lanes = from_a | from_b | p.lanes;
      v.computed = (a.computed & chosen) | (b.computed & ~chosen) | p.lanes;
      break;
    }
  }
  if (v.lanes == 0) v.load = guard.load;
  v.lanes = (v.lanes & mask) | guard.lanes;
  v.computed |= guard.lanes;
  set_results(w, i, mask | guard.lanes, v);
}

}  // namespace simgpu::exec

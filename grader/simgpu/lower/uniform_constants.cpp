/// @file
/// Which loads of constant memory ptxas makes into uniform registers (`ULDC c[3][UR]`). These have a small cache of their own, and where
/// a loop goes through a table that is larger, each warp misses it for itself.
///
/// It does so in loops through which lanes go together, upwards, at an address that is the same for all, with each 8 bytes of which every
/// instruction that uses them can take one as a uniform register: there is room for one in an instruction, or for a number in its place. So
/// `c.z * c.z`, a multiply-add by `c.x` and `c.y`, or one by 0.5 and `c.x`, makes it an ordinary load of what it is about.
///
/// A loop that counts from one constant to another it unrolls to its end if it goes through constants: up to thirteen thousand instructions
/// that were seen of short turns, four thousand of longer ones. Then each place stands in an instruction, and nothing misses.
///
/// Two kinds of loops do not miss either, as 150 of them were measured (timing/calibration.md): those whose turn goes through more than 64
/// bytes of the table, and those that only calculate, and so long for each 64 bytes that warps which have begun together stay together.
///
/// Found by compiling the kernels of tests/ladders, and two hundred loops over tables beside them, with ptxas 13.0 for sm_90.
#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/low_bits.hpp"
#include "simgpu/lower/uniform.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kNoPiece = ~0u;
constexpr std::int64_t kPieceBytes = 8;
constexpr std::uint64_t kLineBytes = 64;  // a turn that goes through more waits for none
/// Machine instructions for each line. 88 still wait, 148 do not.
constexpr std::uint64_t kKeepsStep = 120;
// Machine instructions of a turn of a loop that is unrolled to its end. Of 110 and less, all turns of 13,000 instructions were; of 132, those
// of 4,224 and not those of 16,500; of 140, those of 2,240 and not those of 4,480.
constexpr std::uint32_t kShortTurn = 110, kLongTurn = 140;
constexpr std::uint64_t kAllShortTurns = 14000, kAllLongTurns = 4300;

/// Arithmetic, comparisons and choices.
bool calculates(const Ins& ins) {
  switch (ins.cls) {
    case Class::fp32:
    case Class::fp64:
    case Class::integer:
    case Class::multiply:
    case Class::special:
    case Class::conversion:
      return true;
    default:
      return false;
  }
}

/// It has a form that takes a uniform register for @p operand. Divisions have one for what is divided alone; a choice wants both its values
/// in ordinary registers, and so do roots and the high half of a product.
bool takes_uniform(const Ins& ins, const Operand& operand) {
  switch (ins.op) {
    case Op::selp_b32:
    case Op::selp_b64:
    case Op::sqrt_f32:
    case Op::mul_hi_u32:
    case Op::mul_hi_s32:
      return false;
    case Op::div_f32:
    case Op::div_f64:
      return &operand != &ins.b;
    default:
      return calculates(ins);
  }
}

/// @return machine instructions of a turn of an innermost loop that does nothing but calculate with constants; 0: it is none.
std::uint64_t plain_turn(const std::vector<Ins>& body, const Code& code, std::uint32_t first,
                         std::uint32_t jump) {
  std::uint64_t size = 0;
  for (std::uint32_t i = first; i < jump; ++i) {
    const Ins& ins = body[i];
    if ((ins.flags & kHidden) != 0 || ins.op == Op::mov_b32) continue;
    if (ins.cls == Class::memory && code.memory_ops[ins.aux].space == AddressSpace::param) continue;
    const bool reads_constants =
        ins.cls == Class::memory && code.memory_ops[ins.aux].space == AddressSpace::constant;
    if (!reads_constants && !calculates(ins)) return 0;
    size += has_slow_path(ins) ? static_cast<std::uint64_t>(ins.imm & (kSlowPath - 1)) : 1;
  }
  return size;
}

}  // namespace

void FunctionLowering::mark_uniform_constants() {
  const auto is_candidate = [&](const Ins& ins) {
    if (ins.cls != Class::memory || !(ins.flags & kVector) || ins.guard != kNoGuard) return false;
    const MemoryOp& m = code_.memory_ops[ins.aux];
    return m.space == AddressSpace::constant && m.kind == observe::AccessKind::load &&
           (ins.uses & kFieldA) != 0 && (ins.a & kPoolBit) == 0;
  };
  if (std::none_of(body_.begin(), body_.end(), is_candidate)) return;
  const std::vector<bool> uniform = uniform_in_step(body_, code_, registers_.size());
  // Loops that hold an instruction; those of them that lanes leave one by one; those that are unrolled to the end.
  std::vector<std::int32_t> loops(body_.size() + 1), by_lanes(body_.size() + 1), unrolled(body_.size() + 1);
  const auto mark = [](std::vector<std::int32_t>& list, std::uint32_t first, std::uint32_t jump) {
    ++list[first];
    --list[jump + 1];
  };
  std::vector<bool> falls(registers_.size());           // goes through a table from its end
  std::vector<std::uint64_t> paces(registers_.size());  // bytes that a turn goes on
  std::vector<std::uint64_t> plain(body_.size() + 1);   // of the innermost loop
  for (std::uint32_t jump = 0; jump < body_.size(); ++jump) {
    const Ins& ins = body_[jump];
    std::uint64_t step = 0;
    if (ins.op == Op::add_b64 && ins.d == ins.a && constant_of(code_, ins.b, 8, step)) {
      if (step >> 63 != 0)
        falls[ins.d] = true;
      else
        paces[ins.d] = step;
    }
    if (ins.op != Op::bra || ins.aux > jump) continue;
    mark(loops, ins.aux, jump);
    if (const std::uint64_t turn = plain_turn(body_, code_, ins.aux, jump); turn != 0)
      std::fill(plain.begin() + ins.aux, plain.begin() + jump + 1, turn);
    if (ins.guard != kNoGuard && !uniform[ins.guard / 2]) mark(by_lanes, ins.aux, jump);
    if (const std::optional<Turns> turns = turns_of(ins.aux, jump, kLongTurn);
        turns && turns->count * turns->size <= (turns->size > kShortTurn ? kAllLongTurns : kAllShortTurns))
      mark(unrolled, ins.aux, jump);
  }
  std::vector<std::uint32_t> piece_of(registers_.size(), kNoPiece);
  std::vector<MemoryOp*> pieces;
  std::map<std::pair<Operand, std::int64_t>, std::uint32_t> at_place;  // pieces of the loop at hand
  std::vector<bool> together;                                          // pieces that no warp waits for
  const auto end_loop = [&](std::uint64_t turn) {
    together.resize(pieces.size());
    for (auto piece = at_place.begin(); piece != at_place.end();) {
      const auto [base, begin] = piece->first;
      const auto next = at_place.upper_bound({base, std::numeric_limits<std::int64_t>::max()});
      const std::int64_t length = std::prev(next)->first.second - begin + 1;
      const std::uint64_t bytes =
          paces[base] != 0 ? paces[base] : static_cast<std::uint64_t>(length * kPieceBytes);
      const bool free = bytes > kLineBytes || turn * kLineBytes > kKeepsStep * bytes;
      for (; piece != next; ++piece) together[piece->second] = free;
    }
    at_place.clear();
  };
  std::int32_t depth = 0, apart = 0, whole = 0;
  for (std::uint32_t at = 0; at < body_.size(); ++at) {
    if (loops[at] != 0) end_loop(at != 0 ? plain[at - 1] : 0);
    depth += loops[at];
    apart += by_lanes[at];
    whole += unrolled[at];
    const Ins& ins = body_[at];
    if (depth == 0 || apart != 0 || !is_candidate(ins) || !uniform[ins.a] || falls[ins.a]) continue;
    MemoryOp& m = code_.memory_ops[ins.aux];
    m.address_in_text = whole != 0;
    if (whole != 0) continue;
    std::int64_t bytes = ins.imm;
    for (unsigned n = 0; n < m.count; ++n, bytes += m.element_bytes) {
      const auto [place, is_new] = at_place.try_emplace({ins.a, bytes / kPieceBytes}, pieces.size());
      if (is_new) pieces.push_back(&m);
      piece_of[m.registers[n]] = place->second;
    }
  }
  if (pieces.empty()) return;
  end_loop(0);
  std::vector<bool> ordinary = std::move(together);
  // Products by a number, which go into the sums that ask for them (folds.cpp): no room is left there.
  std::vector<bool> scaled(registers_.size());
  for (const Ins& ins : body_)
    if (ins.op == Op::mul_f32 && ins.imm != kRoundsAsSaid && ((ins.a | ins.b) & kPoolBit) != 0)
      scaled[ins.d] = true;
  const auto is_scaled = [&](Operand o) { return o < scaled.size() && scaled[o]; };
  std::map<Operand, std::uint32_t> sums_of;  // registers that hold the sum of a piece and something else
  for (Ins& ins : body_) {
    std::uint32_t held = kNoPiece;
    const bool sums = ins.op == Op::add_f32 || ins.op == Op::sub_f32;
    const bool has_room =
        ((ins.a | ins.b | ins.c) & kPoolBit) == 0 && !(sums && (is_scaled(ins.a) || is_scaled(ins.b)));
    visit_registers(ins, [&](Operand& o, bool def) {
      if (def || o >= piece_of.size() || piece_of[o] == kNoPiece || ordinary[piece_of[o]]) return;
      if (!has_room || held != kNoPiece || !takes_uniform(ins, o))
        ordinary[piece_of[o]] = true;
      else
        held = piece_of[o];
    });
    // Two sums in a row become one of three (merges.cpp), with room for one piece as well.
    if (ins.op == Op::bra) sums_of.clear();
    if (ins.op != Op::add_b32) {
      if ((ins.defs & kFieldD) != 0) sums_of.erase(ins.d);
      continue;
    }
    auto before = sums_of.find(ins.a);
    if (before == sums_of.end()) before = sums_of.find(ins.b);
    if (held != kNoPiece && before != sums_of.end()) {
      ordinary[held] = ordinary[before->second] = true;
      held = kNoPiece;
    }
    sums_of.erase(ins.d);
    if (held != kNoPiece) sums_of[ins.d] = held;
  }
  for (std::size_t n = 0; n < pieces.size(); ++n)
    if (!ordinary[n]) ++pieces[n]->uniform_pieces;
}

}  // namespace simgpu::lower

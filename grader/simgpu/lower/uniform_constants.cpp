/// @file
/// Which loads of constant memory ptxas makes into uniform registers (`ULDC c[3][UR]`). These have a small cache of their own, and where
/// a loop goes through a table that is larger, each warp misses it for itself.
///
/// It does so in loops through which lanes go together, upwards, at an address that is the same for all, with each 8 bytes of which every
/// instruction that uses them can take one as a uniform register: there is room for one in an instruction, or for a number in its place. So
/// `c.z * c.z`, a multiply-add by `c.x` and `c.y`, or one by 0.5 and `c.x`, makes it an ordinary load of what it is about.
///
/// A loop that counts from one constant to another it unrolls to its end if it goes through constants: up to thirteen thousand instructions
/// that were seen of short turns, four thousand of longer ones. Then each place stands in an instruction, and nothing misses. Turns of 96
/// bytes and more were not seen to miss either.
///
/// Found by compiling the kernels of tests/ladders, and two hundred loops over tables beside them, with ptxas 13.0 for sm_90.
#include <algorithm>
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
constexpr std::size_t kManyPieces = 12;  // of a turn: they come without waiting
// Machine instructions of a turn of a loop that is unrolled to its end. Of 110 and less, all turns of 13,000 instructions were; of 132, those
// of 4,224 and not those of 16,500; of 140, those of 2,240 and not those of 4,480.
constexpr std::uint32_t kShortTurn = 110, kLongTurn = 140;
constexpr std::uint64_t kAllShortTurns = 14000, kAllLongTurns = 4300;

/// It has a form that takes a uniform register.
bool takes_uniform(const Ins& ins) {
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
  std::vector<bool> falls(registers_.size());  // goes through a table from its end
  for (std::uint32_t jump = 0; jump < body_.size(); ++jump) {
    const Ins& ins = body_[jump];
    std::uint64_t step = 0;
    if (ins.op == Op::add_b64 && ins.d == ins.a && constant_of(code_, ins.b, 8, step) && step >> 63 != 0)
      falls[ins.d] = true;
    if (ins.op != Op::bra || ins.aux > jump) continue;
    mark(loops, ins.aux, jump);
    if (ins.guard != kNoGuard && !uniform[ins.guard / 2]) mark(by_lanes, ins.aux, jump);
    if (const std::optional<Turns> turns = turns_of(ins.aux, jump, kLongTurn);
        turns && turns->count * turns->size <= (turns->size > kShortTurn ? kAllLongTurns : kAllShortTurns))
      mark(unrolled, ins.aux, jump);
  }
  std::vector<std::uint32_t> piece_of(registers_.size(), kNoPiece);
  std::vector<MemoryOp*> pieces;
  std::map<std::pair<Operand, std::int64_t>, std::uint32_t> at_place;  // pieces of the loop at hand
  std::vector<bool> together;                                          // pieces of loops that have many
  const auto end_loop = [&] {
    together.resize(pieces.size());
    if (at_place.size() >= kManyPieces)
      for (const auto& [place, piece] : at_place) together[piece] = true;
    at_place.clear();
  };
  std::int32_t depth = 0, apart = 0, whole = 0;
  for (std::uint32_t at = 0; at < body_.size(); ++at) {
    if (loops[at] != 0) end_loop();
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
  end_loop();
  std::vector<bool> ordinary = std::move(together);
  for (Ins& ins : body_) {
    std::uint32_t held = kNoPiece;
    const bool takes = takes_uniform(ins) && ((ins.a | ins.b | ins.c) & kPoolBit) == 0;
    visit_registers(ins, [&](Operand& o, bool def) {
      if (def || o >= piece_of.size() || piece_of[o] == kNoPiece || ordinary[piece_of[o]]) return;
      if (!takes || held != kNoPiece)
        ordinary[piece_of[o]] = true;
      else
        held = piece_of[o];
    });
  }
  for (std::size_t n = 0; n < pieces.size(); ++n)
    if (!ordinary[n]) ++pieces[n]->uniform_pieces;
}

}  // namespace simgpu::lower

/// @file
/// Which loads of constant memory ptxas makes into uniform registers (`ULDC c[3][UR]`). These have a small cache of their own, and where
/// a loop goes through a table that is larger, each warp misses it for itself.
///
/// It does so in loops through which lanes go together, at an address that is the same for all, with each 8 bytes of which every
/// instruction that uses them can take one as a uniform register: there is room for one in an instruction, or for a number in its place. So
/// `c.z * c.z`, a multiply-add by `c.x` and `c.y`, or one by 0.5 and `c.x`, makes it an ordinary load of what it is about.
///
/// Found by compiling the kernels of tests/ladders with ptxas 13.0 for sm_90.
#include <algorithm>

#include "simgpu/lower/builder.hpp"
#include "simgpu/lower/uniform.hpp"

namespace simgpu::lower {
namespace {

constexpr std::uint32_t kNoPiece = ~0u;
constexpr unsigned kPieceBytes = 8;

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
  // Loops, and those of them that lanes leave one by one.
  std::vector<std::int32_t> loops(body_.size() + 1), by_lanes(body_.size() + 1);
  for (std::uint32_t jump = 0; jump < body_.size(); ++jump) {
    const Ins& branch = body_[jump];
    if (branch.op != Op::bra || branch.aux > jump) continue;
    const bool together = branch.guard == kNoGuard || uniform[branch.guard / 2];
    for (auto* list : {&loops, &by_lanes}) {
      if (list == &by_lanes && together) continue;
      ++(*list)[branch.aux];
      --(*list)[jump + 1];
    }
  }
  std::vector<std::uint32_t> piece_of(registers_.size(), kNoPiece);
  std::vector<MemoryOp*> pieces;
  std::int32_t depth = 0, apart = 0;
  for (std::uint32_t at = 0; at < body_.size(); ++at) {
    depth += loops[at];
    apart += by_lanes[at];
    if (depth == 0 || apart != 0 || !is_candidate(body_[at]) || !uniform[body_[at].a]) continue;
    MemoryOp& m = code_.memory_ops[body_[at].aux];
    unsigned bytes = 0;
    for (unsigned n = 0; n < m.count; ++n, bytes += m.element_bytes) {
      if (bytes % kPieceBytes == 0) pieces.push_back(&m);
      piece_of[m.registers[n]] = static_cast<std::uint32_t>(pieces.size() - 1);
    }
  }
  if (pieces.empty()) return;
  std::vector<bool> ordinary(pieces.size());
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

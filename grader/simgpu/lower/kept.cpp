/// @file
/// Registers that hold the same in every block of a launch: parameters, the block's size, a thread's index in its block, and what is
/// computed from these alone. Every warp would compute them anew, and write them to rows of its own, which have left the host's
/// nearest cache before they are used again. So a launch computes them once (exec/kept_rows.hpp), and its warps share the rows.
#include <algorithm>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

/// The same operands give the same result, whoever executes it: integers and addresses, which is what such registers hold.
bool computes(Op op) {
  if (op >= Op::add_b16 && op <= Op::dp2a_hi_s32_s32) return true;
  if (op >= Op::and_b16 && op <= Op::prmt_b32_rc16) return true;
  switch (op) {
    case Op::mov_b32:
    case Op::mov_b64:
    case Op::cvta_window:
    case Op::cvt_s64_s32:
    case Op::cvt_u64_u32:
    case Op::cvt_b32_b64:
    case Op::cvt_b32_b32:
    case Op::cvt_b64_b64:
    case Op::cvt_u16:
    case Op::cvt_s32_s16:
      return true;
    default:
      return false;
  }
}

bool of_the_thread(Special s) {
  return s == Special::tid_x || s == Special::tid_y || s == Special::tid_z || s == Special::warpid;
}
bool of_the_launch(Special s) {
  switch (s) {
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z:
    case Special::laneid:
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt:
      return true;
    default:
      return false;
  }
}

/// Rows that a launch fills at most: a small one must not spend its time on that.
constexpr std::size_t kMostKept = 64;

}  // namespace

/// What @p ins would make of its result if all its operands were kept by all.
FunctionLowering::Kept FunctionLowering::is_kept_if_operands_are(const Ins& ins) const {
  if (ins.guard != kNoGuard || (ins.flags & (kGather | kMatrix | kWaits)) != 0) return Kept::no;
  if (ins.op == Op::ld_param) return code_.memory_ops[ins.aux].count == 1 ? Kept::by_all : Kept::no;
  if (ins.defs != kFieldD || (ins.flags & kVector) != 0) return Kept::no;
  if (ins.op == Op::special_register && ins.aux == 0) {
    const auto which = static_cast<Special>(ins.imm);
    return of_the_thread(which) ? Kept::by_warp : of_the_launch(which) ? Kept::by_all : Kept::no;
  }
  return computes(ins.op) ? Kept::by_all : Kept::no;
}

/// Registers that one instruction writes, before anybody reads them, from what is kept; and those instructions. Functions that kernels
/// call have none: their arguments are not followed.
std::vector<FunctionLowering::Kept> FunctionLowering::find_kept(
    const std::vector<std::uint32_t>& live_at_entry) {
  std::vector<Kept> kept(registers_.size(), Kept::no);
  if (!function_.is_entry) return kept;
  std::vector<std::uint8_t> writes(registers_.size());
  for (Ins& ins : body_)
    visit_registers(ins, [&](Operand o, bool def) {
      if (def && writes[o] < 2) ++writes[o];
    });
  for (const std::uint32_t r : live_at_entry) writes[r] = 2;
  std::size_t count = 0;
  for (std::uint32_t at = 0; at < body_.size() && count < kMostKept; ++at) {
    Ins& ins = body_[at];
    Kept result = is_kept_if_operands_are(ins);
    if (result == Kept::no) continue;
    Operand to = kNoOperand;
    visit_registers(ins, [&](Operand o, bool def) {
      if (def)
        to = o;
      else
        result = std::min(result, kept[o]);
    });
    const bool has_row = to != kNoOperand && (registers_[to].width == 4 || registers_[to].width == 8);
    if (result == Kept::no || !has_row || writes[to] != 1) continue;
    kept[to] = result;
    ++count;
    (result == Kept::by_all ? result_.fills_kept_by_all : result_.fills_kept_by_warp).push_back(at);
  }
  return kept;
}

}  // namespace simgpu::lower

/// @file
/// See straight.hpp.
#include "simgpu/exec/straight.hpp"

#include <algorithm>
#include <limits>

#include "simgpu/lower/builder.hpp"

namespace simgpu::exec {
namespace {

/// Whether @p i leaves its warp where it is, and needs to know nothing of where that is.
bool is_straight(const Machine& m, const Ins& i) {
  if (m.handlers[static_cast<std::size_t>(i.op)] == nullptr || (i.flags & lower::kGather)) return false;
  switch (i.op) {
    case Op::special_register:  // a clock tells what was executed before it
      return !lower::is_clock(static_cast<lower::Special>(i.imm));
    case Op::ld_global:
    case Op::ld_shared:
    case Op::ld_any:
    case Op::atom:
      return !m.code.memory_ops[i.aux].spin_hint;
    default:
      return true;
  }
}

}  // namespace

void StraightRuns::prepare(const Machine& m) {
  const auto& kernel = m.code.kernels[m.launch.kernel->entry];
  const auto& functions = m.code.functions;
  first_ = functions[kernel.first].entry;
  u32 end = first_;
  for (u32 f = kernel.first; f < kernel.last; ++f) {
    first_ = std::min(first_, functions[f].entry);
    end = std::max(end, functions[f].end);
  }
  length_.assign(end - first_ + 1, 0);
  changes_.assign(end - first_ + 1, 0);
  off_.assign(end - first_ + 1, 0);
  std::vector<bool> meets(end - first_ + 1);
  for (u32 f = kernel.first; f < kernel.last; ++f)
    for (u32 pc = functions[f].entry; pc < functions[f].end; ++pc) {
      const Ins& i = m.code.instructions[pc];
      if ((i.op == Op::bra || i.op == Op::brx_idx) && i.aux2 >= first_ && i.aux2 < end)
        meets[i.aux2 - first_] = true;
    }
  for (u32 f = kernel.first; f < kernel.last; ++f) {
    u32 length = 0;
    for (u32 pc = functions[f].end; pc-- > functions[f].entry;) {
      length = is_straight(m, m.code.instructions[pc])
                   ? std::min<u32>(length + 1, std::numeric_limits<u16>::max())
                   : 0;
      length_[pc - first_] = static_cast<u16>(length);
      if (meets[pc - first_] || (m.code.instructions[pc].flags & lower::kWaits)) length = 0;
    }
  }
}

std::vector<u64> StraightRuns::off() const {
  std::vector<u64> all(off_.size());
  u64 n = 0;
  for (std::size_t k = 0; k < off_.size(); ++k) all[k] = n += off_[k];
  return all;
}

void StraightRuns::add_to(std::vector<u64>& executions, const lower::Code& code) {
  u64 n = 0;
  for (std::size_t k = 0; k < changes_.size(); ++k) {
    n += changes_[k];
    changes_[k] = 0;
    if (n) executions[code.instructions[first_ + k].site] += n;
  }
}

}  // namespace simgpu::exec

/// @file
/// Which sums are nothing but an address: the interpreter need not work them out where it knows how lanes lie (exec/straight.cpp).
#include <vector>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

void FunctionLowering::mark_addresses(const std::vector<Block>& blocks) {
  struct Uses {
    std::uint32_t writes = 0, reads = 0;
  };
  std::vector<Uses> uses(registers_.size());
  for (Ins& ins : body_) {
    if (ins.guard != kNoGuard) ++uses[ins.guard / 2].reads;
    visit_registers(ins, [&](Operand& o, bool def) { ++(def ? uses[o].writes : uses[o].reads); });
  }
  constexpr std::uint32_t kNobody = 0xFFFF'FFFFu;
  std::vector<std::uint32_t> sum_of(registers_.size(), kNobody);  // of this block, by register
  for (const Block& block : blocks) {
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Ins& ins = body_[i];
      const bool access = ins.op == Op::ld_global || ins.op == Op::st_global;
      if (access && ins.guard == kNoGuard && (ins.uses & kFieldA) != 0 && sum_of[ins.a] != kNobody)
        body_[sum_of[ins.a]].flags |= kOnlyAddress;
      const bool sum = ins.op == Op::add_b64 && ins.guard == kNoGuard && ins.flags == 0 &&
                       uses[ins.d].writes == 1 && uses[ins.d].reads == 1;
      if (sum) sum_of[ins.d] = i;
    }
    for (std::uint32_t i = block.first; i < block.last; ++i)
      if (body_[i].op == Op::add_b64) sum_of[body_[i].d] = kNobody;
  }
}

}  // namespace simgpu::lower

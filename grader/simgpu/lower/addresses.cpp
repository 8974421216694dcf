/// @file
/// Which sums are nothing but an address: the interpreter need not work them out where it knows how lanes lie (exec/straight.cpp).
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

void FunctionLowering::mark_addresses(const std::vector<Block>& blocks) {
  const Makers makers = makers_of();
  for (const Block& block : blocks)
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Ins& access = body_[i];
      const bool plain =
          (access.op == Op::ld_global || access.op == Op::st_global) && access.guard == kNoGuard;
      if (!plain || (access.uses & kFieldA) == 0 || makers.reads[access.a] != 1) continue;
      const std::uint32_t maker = makers.made_by(access.a);
      if (maker == Makers::kNobody || maker < block.first || maker >= i) continue;
      Ins& sum = body_[maker];
      if (sum.op == Op::add_b64 && sum.guard == kNoGuard && sum.flags == 0) sum.flags |= kOnlyAddress;
    }
}

}  // namespace simgpu::lower

/// @file
/// Which divisions of 32 bits are by what a loop does not change. ptxas takes the divisor's reciprocal out of such a loop, and what is left
/// inside is products and corrections: half of the time (h200_probes_more.csv, "u32 division" and "u32 division by what changes").
#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {

void FunctionLowering::mark_divisors(const std::vector<Block>& blocks) {
  // Code with more than this in loops around divisions is left unmarked: only modelled times depend on it.
  constexpr std::size_t kMostSteps = 4'000'000;
  std::size_t steps = 0;
  const auto changes = [&](Operand divisor, std::uint32_t first, std::uint32_t last) {
    bool found = false;
    for (std::uint32_t i = first; i < last && !found; ++i)
      visit_registers(body_[i], [&](Operand& o, bool def) { found |= def && o == divisor; });
    return found;
  };
  for (const Block& end : blocks)
    for (const std::uint32_t begin : end.next) {
      if (begin >= blocks.size() || blocks[begin].first > end.first) continue;
      const std::uint32_t first = blocks[begin].first, last = end.last;
      for (std::uint32_t i = first; i < last; ++i) {
        Ins& ins = body_[i];
        if (ins.cls != Class::divide || ins.op >= Op::div_u64 || ins.imm == kDivisorKept) continue;
        if ((steps += last - first) > kMostSteps) return;
        if ((ins.b & kPoolBit) != 0 || !changes(ins.b, first, last)) ins.imm = kDivisorKept;
      }
    }
}

}  // namespace simgpu::lower

/// @file
/// Which divisions of 32 bits are by what a loop does not change. ptxas takes the divisor's reciprocal out of such a loop, and what is left
/// inside is products and corrections: half of the time (h200_probes_more.csv, "u32 division" and "u32 division by what changes"). Nor does it
/// make the reciprocal again for the next division by the same in straight code (its machine code for sm_90: 22 of 24 of a kernel).
#include <algorithm>
#include <utility>
#include <vector>

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
  std::vector<std::uint32_t> divided_in(registers_.size());  // block that has divided by it, counted from 1
  std::vector<std::uint32_t> divisions;                      // where they stand
  for (std::uint32_t b = 0; b < blocks.size(); ++b)
    for (std::uint32_t i = blocks[b].first; i < blocks[b].last; ++i) {
      Ins& ins = body_[i];
      const bool divides = ins.cls == Class::divide && ins.op < Op::div_u64;
      if (divides) divisions.push_back(i);
      if (divides && (ins.b & kPoolBit) == 0 && std::exchange(divided_in[ins.b], b + 1) == b + 1)
        ins.imm = kDivisorKept;
      visit_registers(ins, [&](Operand& o, bool def) {
        if (def) divided_in[o] = 0;
      });
    }
  for (const Block& end : blocks)
    for (const std::uint32_t begin : end.next) {
      if (begin >= blocks.size() || blocks[begin].first > end.first) continue;
      const std::uint32_t first = blocks[begin].first, last = end.last;
      for (auto at = std::lower_bound(divisions.begin(), divisions.end(), first);
           at != divisions.end() && *at < last; ++at) {
        Ins& ins = body_[*at];
        const bool kept = ins.imm == kDivisorKept;
        if ((steps += kept ? 1 : last - first) > kMostSteps) return;
        if (kept) continue;
        if ((ins.b & kPoolBit) != 0 || !changes(ins.b, first, last)) ins.imm = kDivisorKept;
      }
    }
}

}  // namespace simgpu::lower

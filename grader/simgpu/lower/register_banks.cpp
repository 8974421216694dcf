/// @file
/// Which multiply-adds wait for their operands. The registers of a scheduler lie in two banks, the even ones and the odd ones, each of which
/// gives one operand a cycle; so three operands take two cycles, unless one of them was read by the instruction before (ptxas marks it
/// `.reuse`). That needs two multiply-adds in a row which do not wait for each other and have an operand in common.
///
/// Other instructions, which read less, leave the banks the time; so it shows only where a stretch reads more than two operands each. Where
/// neighbours share operands ptxas cannot avoid all of it either: so one in twelve waits if a stretch is nearly all multiply-adds.
///
/// Measured on an H200 with machine code whose registers were chosen by hand (timing/calibration.md): a chain of `s = s * y + x` issues in
/// half of the cycles, or in a third if all three registers lie in one bank; four such chains in 97 of 100; products of 8 x 8 in 91.
/// Only the modelled clock looks at it.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "simgpu/lower/builder.hpp"

namespace simgpu::lower {
namespace {

// Thousandths: operands that an instruction of a stretch reads where some wait although they share operands, and how many then wait.
constexpr std::uint32_t kDenseReads = 1850, kSharedWait = 85;

}  // namespace

void FunctionLowering::mark_register_banks(const std::vector<Block>& blocks) {
  const auto reads_three = [](const Ins& ins) {
    return ins.op == Op::fma_f32 && ((ins.a | ins.b | ins.c) & kPoolBit) == 0 && ins.a != ins.b &&
           ins.b != ins.c && ins.a != ins.c;
  };
  const auto has_any = [&](const Block& block) {
    return std::any_of(body_.begin() + block.first, body_.begin() + block.last, reads_three);
  };
  if (std::none_of(blocks.begin(), blocks.end(), has_any)) return;
  // What stands in an instruction or in a uniform register takes no bank's time: numbers, parameters, constants of some loops.
  std::vector<bool> elsewhere(registers_.size());
  std::vector<std::uint32_t> writes(registers_.size());
  for (Ins& ins : body_) visit_registers(ins, [&](Operand& o, bool def) { writes[o] += def; });
  for (const Ins& ins : body_) {
    if (ins.op == Op::mov_b32 && (ins.a & kPoolBit) != 0) elsewhere[ins.d] = writes[ins.d] == 1;
    if (ins.cls != Class::memory || (ins.flags & kVector) == 0) continue;
    const MemoryOp& m = code_.memory_ops[ins.aux];
    const bool in_text = m.space == AddressSpace::param ||
                         (m.space == AddressSpace::constant && (m.uniform_pieces != 0 || m.address_in_text));
    if (!in_text) continue;
    for (unsigned n = 0; n < m.count; ++n)
      if ((m.registers[n] & kPoolBit) == 0) elsewhere[m.registers[n]] = true;
  }
  // An instruction has room for one of those. Where some multiply-add asks for two they are put in registers, for all.
  std::vector<bool> put(registers_.size());
  for (const Ins& ins : body_) {
    if (!reads_three(ins)) continue;
    const int there = elsewhere[ins.a] + elsewhere[ins.b] + elsewhere[ins.c];
    if (there == 2)
      for (const Operand o : {ins.a, ins.b, ins.c}) put[o] = put[o] || elsewhere[o];
  }
  for (std::size_t r = 0; r < put.size(); ++r)
    if (put[r]) elsewhere[r] = false;
  std::vector<std::uint32_t> depth(registers_.size());
  std::vector<std::uint32_t> depths;  // of the block's instructions
  std::map<std::pair<std::uint32_t, Operand>, std::uint32_t>
      readers;  // multiply-adds of a depth that read a register
  for (const Block& block : blocks) {
    if (!has_any(block)) continue;
    std::fill(depth.begin(), depth.end(), 0);
    depths.clear();
    readers.clear();
    const auto waits = [&](const Ins& ins) {
      return reads_three(ins) && !elsewhere[ins.a] && !elsewhere[ins.b] && !elsewhere[ins.c];
    };
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      Ins& ins = body_[i];
      std::uint32_t deepest = 0;
      visit_registers(ins, [&](Operand& o, bool def) {
        if (!def) deepest = std::max(deepest, depth[o]);
      });
      depths.push_back(deepest);
      visit_registers(ins, [&](Operand& o, bool def) {
        if (def) depth[o] = deepest + 1;
      });
      if (waits(ins))
        for (const Operand o : {ins.a, ins.b, ins.c}) ++readers[{deepest, o}];
    }
    // What the stretch reads, and what of that is beyond two operands an instruction.
    const auto shared = [&](const Ins& ins, std::uint32_t at) {
      return readers[{at, ins.a}] > 1 || readers[{at, ins.b}] > 1 || readers[{at, ins.c}] > 1;
    };
    std::uint32_t instructions = 0, reads = 0, alone = 0;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      const Ins& ins = body_[i];
      if ((ins.flags & (kHidden | kMerged)) != 0 || ins.op == Op::mov_b32) continue;
      ++instructions;
      if (waits(ins)) {
        const bool by_itself = !shared(ins, depths[i - block.first]);
        alone += by_itself;
        reads += by_itself ? 3 : 2;
      } else {
        const auto is_register = [&](Operand o) { return o < elsewhere.size() && !elsewhere[o]; };
        reads += std::min(2, is_register(ins.a) + (is_register(ins.b) && ins.b != ins.a));
      }
    }
    // In thousandths, so that they are spread evenly.
    const std::uint32_t beyond = reads > 2 * instructions ? reads - 2 * instructions : 0;
    const std::uint32_t each = alone != 0 ? std::min(1000u, 1000 * beyond / alone) : 0;
    const std::uint32_t of_shared = 1000 * reads >= kDenseReads * instructions ? kSharedWait : 0;
    std::uint32_t due = 0;
    for (std::uint32_t i = block.first; i < block.last; ++i) {
      Ins& ins = body_[i];
      if (!waits(ins)) continue;
      due += shared(ins, depths[i - block.first]) ? of_shared : each;
      if (due < 1000) continue;
      due -= 1000;
      ins.imm = kReadsTwice;
    }
  }
}

}  // namespace simgpu::lower

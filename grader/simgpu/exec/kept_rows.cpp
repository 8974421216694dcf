/// @file
/// See kept_rows.hpp.
#include "simgpu/exec/kept_rows.hpp"

namespace simgpu::exec {
namespace {

/// A parameter that the launch did not pass: the warps will find that out, one by one.
bool is_beyond_parameters(const Machine& m, const Ins& i) {
  return i.op == Op::ld_param &&
         static_cast<u64>(i.imm) + m.code.memory_ops[i.aux].total_bytes > m.launch.parameters.size();
}

}  // namespace

void KeptRows::prepare(Machine& machine) {
  const lower::Function& f = machine.entry;
  const auto warps = static_cast<u32>((machine.launch.block.count() + 31) / 32);
  by_all_bytes_ = f.kept_by_all_bytes;
  by_warp_bytes_ = f.kept_by_warp_bytes;
  storage_.assign(by_all_bytes_ + std::size_t{by_warp_bytes_} * warps + 128, std::byte{0});
  const auto at = reinterpret_cast<std::uintptr_t>(storage_.data());
  rows_ = storage_.data() + ((at + 127) / 128 * 128 - at);
  for (const u32 pc : f.fills_kept_by_all)
    if (is_beyond_parameters(machine, machine.code.instructions[pc])) return;
  Warp warp;
  warp.machine = &machine;
  const auto execute = [&](const std::vector<u32>& all) {
    for (const u32 pc : all) {
      const Ins& i = machine.code.instructions[pc];
      machine.handlers[static_cast<std::size_t>(i.op)](warp, i, kFull);
    }
  };
  for (u32 n = 0; n < warps; ++n) {
    warp.id.warp = n;
    give_to(warp, machine, n);
    if (n == 0) execute(f.fills_kept_by_all);
    execute(f.fills_kept_by_warp);
  }
  filled_ = true;
}

void KeptRows::give_to(Warp& w, const Machine& machine, u32 index) const {
  const lower::Function& f = machine.entry;
  const auto less = [](const void* rows, std::uintptr_t offset) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(rows) - offset);
  };
  const auto kind = [](Operand o) { return o >> lower::kRowBits; };
  w.base[kind(lower::kKeptByWarp)] = less(rows_ + by_all_bytes_ + std::size_t{by_warp_bytes_} * index,
                                          lower::kKeptByWarp + std::uintptr_t{f.frame_bytes});
  w.base[kind(lower::kKeptByAll)] =
      less(rows_, lower::kKeptByAll + std::uintptr_t{f.frame_bytes} + by_warp_bytes_);
  for (u32 k = kind(lower::kPoolBit); k < std::size(w.base); ++k)
    w.base[k] = less(machine.code.pool.data(), lower::kPoolBit);
}

}  // namespace simgpu::exec

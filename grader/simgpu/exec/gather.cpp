/// @file
/// Warp-wide instructions with a member mask: lanes that come by different ways wait for one another here.
#include "simgpu/exec/splits.hpp"

namespace simgpu::exec {

void gather(Warp& w, const Ins& i, u32 mask) {
  const u32* members = w.row<u32>(i.e);
  const u32 want = members[__builtin_ctz(mask)];
  u32 group = mask;
  if (!(i.e & lower::kPoolBit))
    for (u32 left = mask; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      if (members[l] != want) group &= ~(1u << l);
    }
  Machine& machine = *w.machine;
  if (group & ~want) {
    const u32 l = static_cast<u32>(__builtin_ctz(group & ~want));
    return machine.fault(
        w, i, observe::FindingKind::illegal_instruction, l,
        Machine::who(w, l) +
            " executes a warp-wide instruction whose member mask does not name its own lane; the "
            "result is undefined. Include every lane that executes it in the mask.");
  }
  const Handler handler = machine.handlers[static_cast<std::size_t>(i.op)];
  u32 all = group;
  if (group != w.mask || (want & w.live & ~group)) {
    cut(w, w.mask & ~(mask & ~group), mask & ~group, w.pc);
    cut(w, group, w.mask & ~group, w.pc + 1);
    for (const Split& s : w.splits)
      if (s.state == Split::State::gather && s.pc == w.pc && s.frame == w.frame && s.want == want)
        all |= s.mask;
    if (want & w.live & ~all) {
      Split& s = w.splits[w.current];
      s.state = Split::State::gather;
      s.want = want;
      s.pc = w.pc;
      choose_split(w);
      return;
    }
    for (Split& s : w.splits)
      if (s.state == Split::State::gather && s.pc == w.pc && s.frame == w.frame && s.want == want) {
        s.state = Split::State::running;
        ++s.pc;
      }
  }
  ++w.pc;
  handler(w, i, all);
  for (observe::Observer* o : machine.observers) o->warp_sync(w.id, all);
  if (all != group) {
    save_split(w);
    merge_splits(w);
  }
}

}  // namespace simgpu::exec

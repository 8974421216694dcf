/// @file
/// Calls and returns of device functions: each activation has a frame of registers for the lanes that made it together.
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "simgpu/exec/splits.hpp"

namespace simgpu::exec {
namespace {

/// A function's name as in the source, if it is a C++ name.
std::string readable(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text ? text : mangled;
  std::free(text);
  return name;
}

/// Deepest nesting of calls; hardware ends with a stack overflow too, much later or earlier.
constexpr u32 kMaxDepth = 256;
/// Registers of all functions called and not yet left, in all warps. [bytes of this process]
constexpr u64 kMostFrameBytes = u64{2} << 30;

Frame* new_frame(Warp& w, const lower::Function& f) {
  Frame* frame;
  if (w.free_frames.empty()) {
    frame = &w.frame_store.emplace_back();
  } else {
    frame = w.free_frames.back();
    w.free_frames.pop_back();
  }
  if (const std::size_t bytes = f.frame_bytes + 128; frame->storage.size() < bytes) {
    w.machine->frame_bytes += bytes - frame->storage.size();
    frame->storage.resize(bytes);
  }
  const auto at = reinterpret_cast<std::uintptr_t>(frame->storage.data());
  frame->rows = frame->storage.data() + ((at + 127) / 128 * 128 - at);
  frame->function = &f;
  for (const auto& r : f.zeroed) std::memset(frame->rows + r.offset, 0, r.bytes);
  return frame;
}

/// Copies parameter bytes of lanes @p mask between two frames' parameter areas.
void copy_params(Frame& to, u32 to_offset, const Frame& from, u32 from_offset, u32 bytes, u32 mask) {
  for (; mask; mask &= mask - 1) {
    const u32 l = static_cast<u32>(__builtin_ctz(mask));
    std::memcpy(to.rows + to.function->param_base + l * to.function->param_stride + to_offset,
                from.rows + from.function->param_base + l * from.function->param_stride + from_offset, bytes);
  }
}

}  // namespace

void call(Warp& w, const Ins& i, u32 mask) {
  const lower::CallOp& op = w.machine->code.calls[i.aux];
  Machine& machine = *w.machine;
  if (op.builtin != lower::Builtin::none) {
    ++w.pc;
    return call_builtin(w, i, op, mask);
  }
  const auto& kernel = machine.code.kernels[machine.launch.kernel->entry];
  std::pair<u32, u32> groups[32];  // function, lanes
  std::size_t count = 0;
  if (!op.indirect) {
    groups[count++] = {op.function, mask};
  } else {
    const u64* target = w.row<u64>(i.a);
    for (u32 left = mask; left; left &= left - 1) {
      const u32 l = static_cast<u32>(__builtin_ctz(left));
      u32 function = 0xFFFF'FFFFu;
      for (u32 f = kernel.first; f < kernel.last; ++f)
        if (target[l] == lower::kFunctionBase + 16ull * machine.code.functions[f].module_index) function = f;
      if (function == 0xFFFF'FFFFu)
        return machine.fault(w, i, observe::FindingKind::bad_call, l,
                             Machine::who(w, l) +
                                 " calls a function through a pointer that does not hold a device function's "
                                 "address; set the pointer in device code.",
                             observe::Memory::global, target[l]);
      std::size_t g = 0;
      while (g < count && groups[g].first != function) ++g;
      if (g == count) groups[count++] = {function, 0};
      groups[g].second |= 1u << l;
    }
  }
  const u32 lane = static_cast<u32>(__builtin_ctz(mask));
  if (w.frame->depth + 1 > kMaxDepth || machine.frame_bytes > kMostFrameBytes)
    return machine.fault(w, i, observe::FindingKind::stack_overflow, lane,
                         Machine::who(w, lane) + " has called functions " +
                             std::to_string(w.frame->depth + 1) + " deep; a recursion seems to have no end.");
  Reconvergence e;
  e.pc = w.pc + 1;
  e.mask = w.mask;
  e.arrived = w.mask & ~mask;
  e.parent = w.splits[w.current].parent;
  e.frame = w.frame;
  e.call = e.used = true;
  const s32 meet = new_meet(w, e);
  Frame* caller = w.frame;
  for (std::size_t g = 0; g < count; ++g) {
    const lower::Function& f = machine.code.functions[groups[g].first];
    if (f.parameters.size() != op.arguments.size())
      return machine.fault(
          w, i, observe::FindingKind::bad_call, lane,
          Machine::who(w, lane) + " calls " + readable(f.name) + " with the wrong number of arguments.");
    Frame* frame = new_frame(w, f);
    frame->caller = caller;
    frame->call = &op;
    frame->live = groups[g].second;
    frame->depth = caller->depth + 1;
    frame->stack = w.stack;
    frame->local_base = (caller->local_base + caller->function->local_bytes + 15) / 16 * 16;
    if (frame->local_base + f.local_bytes + kernel.alloca_bytes > machine.local_bytes)
      return machine.fault(
          w, i, observe::FindingKind::stack_overflow, lane,
          Machine::who(w, lane) + " has used up its stack of " + std::to_string(machine.local_bytes) +
              " bytes by calling " + readable(f.name) +
              ": a recursion that is too deep, or large local arrays (cudaLimitStackSize sets the limit).");
    for (std::size_t a = 0; a < op.arguments.size(); ++a)
      copy_params(*frame, f.parameters[a].offset, *caller, op.arguments[a].offset,
                  std::min(f.parameters[a].bytes, op.arguments[a].bytes), frame->live);
    if (g == 0) {
      Split& s = w.splits[w.current];
      s.parent = meet;
      s.frame = frame;
      s.pc = f.entry;
      s.mask = frame->live;
      s.rpc = kNoRpc;
    } else {
      add_split(w, f.entry, frame->live, meet, frame);
    }
  }
  load_split(w, w.current);
}

void ret(Warp& w, u32 mask) {
  Frame* frame = w.frame;
  if (frame->depth == 0) return exit_lanes(w, mask);
  for (std::size_t r = 0; r < frame->call->results.size() && r < frame->function->results.size(); ++r)
    copy_params(*frame->caller, frame->call->results[r].offset, *frame, frame->function->results[r].offset,
                std::min(frame->call->results[r].bytes, frame->function->results[r].bytes), mask);
  for (u32 l = 0; l < 32; ++l)
    if (mask >> l & 1) w.stack[l] = frame->stack[l];
  const s32 parent = w.splits[w.current].parent;
  w.mask &= ~mask;
  ++w.pc;
  save_split(w);
  const bool all = w.mask == 0;
  if (all) remove_current(w);
  const s32 meet = leave(w, parent, mask, true);
  frame->live &= ~mask;
  if (frame->live == 0) w.free_frames.push_back(frame);
  if (meet >= 0) {
    w.meets[static_cast<std::size_t>(meet)].arrived |= mask;
    complete_if_full(w, meet);
  }
  if (all) choose_split(w);
}

}  // namespace simgpu::exec

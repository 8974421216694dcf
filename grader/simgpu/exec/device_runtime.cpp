/// @file
/// What kernels call of the CUDA runtime: launches of further kernels, their streams and events, copies, memory.
///
/// What a kernel begins is carried out when its whole grid has ended, in the order in which it was begun (device/children.cpp). CUDA promises no
/// kernel that it sees its children's results, so a sound program cannot tell. Streams and events have nothing to order then.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "simgpu/exec/state.hpp"
#include "simgpu/memory/device_memory.hpp"

namespace simgpu::exec {
namespace {

// Values of a cudaError_t.
constexpr u32 kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
              kTooDeep = 65, kInvalidDeviceFunction = 98;
constexpr u32 kRuntimeVersion = 13000;
constexpr u64 kSmallestBuffer = 16;

/// The arguments and the result of one lane's call.
class LaneCall {
 public:
  LaneCall(Warp& w, const Ins& ins, const lower::CallOp& call, u32 lane)
      : w_(w), m_(*w.machine), ins_(ins), call_(call), lane_(lane) {}

  void run();

 private:
  std::byte* slot(const lower::ParamSlot& s) const {
    const lower::Function& f = *w_.frame->function;
    return w_.frame->rows + f.param_base + lane_ * f.param_stride + s.offset;
  }
  template <class T>
  T argument(std::size_t n) const {
    T v{};
    if (n < call_.arguments.size())
      std::memcpy(&v, slot(call_.arguments[n]), std::min<std::size_t>(sizeof v, call_.arguments[n].bytes));
    return v;
  }
  observe::Dim3 dim(std::size_t n) const {
    const auto d = argument<std::array<u32, 3>>(n);
    return {d[0], d[1], d[2]};
  }
  void give(u64 value) {
    if (!call_.results.empty())
      std::memcpy(slot(call_.results[0]), &value, std::min<u32>(8, call_.results[0].bytes));
  }
  /// @return the error, which cudaGetLastError remembers.
  void fail_or(u32 error) {
    if (error != kSuccess) m_.device_runtime.last_error = error;
    give(error);
  }
  bool store(u64 address, u64 value, u32 bytes);
  void parameter_buffer();
  void error_text();
  void launch();
  void refused(u32 error, observe::Dim3 grid, observe::Dim3 block, u32 shared);
  void forget_allocations() {
    for (SiteCache& c : m_.caches) c.forget_allocation();
  }

  Warp& w_;
  Machine& m_;
  const Ins& ins_;
  const lower::CallOp& call_;
  const u32 lane_;
};

/// Writes a result through a pointer, and says so. @return false if nothing is there: the launch has been ended.
bool LaneCall::store(u64 address, u64 value, u32 bytes) {
  lower::MemoryOp op;
  op.kind = observe::AccessKind::store;
  op.total_bytes = op.element_bytes = static_cast<std::uint8_t>(bytes);
  std::byte* host = nullptr;
  u64 seen = address;
  observe::Memory memory = observe::Memory::global;
  if (address - memory::kLocalWindow < memory::kLocalWindowSize) {
    memory = observe::Memory::local;
    op.space = lower::AddressSpace::local;
    seen = address - memory::kLocalWindow;
    if (!w_.local) {
      w_.local_storage.assign(u64{m_.local_bytes} * 32 + 64, std::byte{0xCD});
      w_.local = w_.local_storage.data();
    }
    if (seen + bytes <= m_.local_bytes) host = w_.local + u64{lane_} * m_.local_bytes + seen;
  } else if (address - memory::kSharedWindow < memory::kSharedWindowSize) {
    memory = observe::Memory::shared;
    op.space = lower::AddressSpace::shared;
    seen = address - memory::kSharedWindow;
    if (seen + bytes <= m_.shared_bytes) host = w_.block->shared.data() + seen;
  } else if (const memory::Allocation* a = m_.memory.find(address);
             a && a->live && a->contains(address, bytes)) {
    op.space = lower::AddressSpace::global;
    host = a->host + (address - a->base);
  }
  if (!host) {
    m_.fault(w_, ins_, observe::FindingKind::out_of_bounds, lane_,
             Machine::who(w_, lane_) + " calls cuda" + call_.name.substr(10) +
                 " with a pointer to no memory that it may write.",
             memory, address);
    return false;
  }
  std::memcpy(host, &value, bytes);
  observe::Access access = m_.access_of(ins_, op);
  std::array<u64, 32> at;
  at.fill(seen);
  access.warp = &w_.id;
  access.memory = memory;
  access.mask = 1u << lane_;
  access.address = at.data();
  for (observe::Observer* o : m_.observers) o->access(access);
  return true;
}

/// The kernel stores its child's arguments there.
void LaneCall::parameter_buffer() {
  ChildLaunch child;
  child.function = argument<u64>(0);
  child.grid = dim(1);
  child.block = dim(2);
  child.shared_bytes = argument<u32>(3);
  const auto bytes = m_.services.parameter_bytes ? m_.services.parameter_bytes(child.function)
                                                 : std::optional<std::size_t>{};
  if (!bytes) {
    m_.device_runtime.last_error = kInvalidDeviceFunction;
    return give(0);
  }
  child.parameters.resize(*bytes);
  const u64 address =
      m_.services.device_malloc ? m_.services.device_malloc(std::max<u64>(*bytes, kSmallestBuffer)) : 0;
  if (address == 0)
    m_.device_runtime.last_error = kMemoryAllocation;
  else
    m_.device_runtime.begun.emplace(address, std::move(child));
  give(address);
}

/// The texts are the host's; here it is the number.
void LaneCall::error_text() {
  const std::string text = "CUDA error " + std::to_string(argument<u32>(0));
  const u64 address = m_.services.device_malloc ? m_.services.device_malloc(text.size() + 1) : 0;
  if (const memory::Allocation* a = address ? m_.memory.find(address) : nullptr)
    std::memcpy(a->host + (address - a->base), text.c_str(), text.size() + 1);
  give(address);
}

void LaneCall::launch() {
  const u64 buffer = argument<u64>(0);
  const auto it = m_.device_runtime.begun.find(buffer);
  if (it == m_.device_runtime.begun.end()) return fail_or(kInvalidValue);
  ChildLaunch child = std::move(it->second);
  m_.device_runtime.begun.erase(it);
  child.stream = argument<u64>(1);
  const memory::Allocation* a = m_.memory.find(buffer);
  if (!a || !a->contains(buffer, child.parameters.size())) return fail_or(kInvalidValue);
  std::memcpy(child.parameters.data(), a->host + (buffer - a->base), child.parameters.size());
  m_.services.device_free(buffer);
  forget_allocations();
  const observe::Dim3 grid = child.grid, block = child.block;
  const u32 shared = child.shared_bytes;
  const u32 error = m_.services.begin_child ? m_.services.begin_child(std::move(child)) : kInvalidValue;
  if (error != kSuccess) refused(error, grid, block, shared);
  fail_or(error);
}

/// Nothing but the error tells the kernel, and most do not ask.
void LaneCall::refused(u32 error, observe::Dim3 grid, observe::Dim3 block, u32 shared) {
  const std::string why = error == kTooDeep ? std::string("kernels launch kernels more than 24 levels deep")
                          : error == kInvalidConfiguration
                              ? "a grid of " + Machine::name_of(grid) + " blocks of " +
                                    Machine::name_of(block) + " threads with " + std::to_string(shared) +
                                    " bytes of dynamic shared memory cannot be (no size may be 0, a block "
                                    "has at most 1024 threads, and 48 "
                                    "KB of shared memory)"
                              : "CUDA error " + std::to_string(error);
  m_.fault(w_, ins_, observe::FindingKind::bad_call, lane_,
           Machine::who(w_, lane_) + " launches a kernel that never runs: " + why +
               ". Ask cudaGetLastError() behind the launch.",
           observe::Memory::global, 0, /*warning=*/true);
}

void LaneCall::run() {
  using lower::DeviceCall;
  switch (call_.device_call) {
    case DeviceCall::parameter_buffer:
      return parameter_buffer();
    case DeviceCall::launch:
      return launch();
    case DeviceCall::get_last_error:
      return give(std::exchange(m_.device_runtime.last_error, kSuccess));
    case DeviceCall::peek_at_last_error:
      return give(m_.device_runtime.last_error);
    case DeviceCall::get_error_string:
    case DeviceCall::get_error_name:
      return error_text();
    case DeviceCall::get_device:
      if (store(argument<u64>(0), static_cast<u64>(m_.services.device), 4)) give(kSuccess);
      return;
    case DeviceCall::get_device_count:
      if (store(argument<u64>(0), static_cast<u64>(m_.services.devices), 4)) give(kSuccess);
      return;
    case DeviceCall::runtime_get_version:
      if (store(argument<u64>(0), kRuntimeVersion, 4)) give(kSuccess);
      return;
    case DeviceCall::stream_create:
    case DeviceCall::event_create:
      if (store(argument<u64>(0), m_.device_runtime.next_handle += 16, 8)) give(kSuccess);
      return;
    case DeviceCall::malloc: {
      const u64 address = m_.services.device_malloc ? m_.services.device_malloc(argument<u64>(1)) : 0;
      if (store(argument<u64>(0), address, 8)) fail_or(address == 0 ? kMemoryAllocation : kSuccess);
      return;
    }
    case DeviceCall::free:
      if (const u64 address = argument<u64>(0)) {
        if (m_.services.device_free) m_.services.device_free(address);
        forget_allocations();
        const memory::Allocation* after = m_.memory.find(address);
        if (after && after->live) return fail_or(kInvalidValue);
      }
      return give(kSuccess);
    case DeviceCall::memcpy_async:  // to, from, bytes, kind, stream
      return fail_or(m_.services.begin_child
                         ? m_.services.begin_child(ChildCopy{argument<u64>(0), argument<u64>(1),
                                                             argument<u64>(2), 0, false, argument<u64>(4)})
                         : kInvalidValue);
    case DeviceCall::memset_async:  // to, value, bytes, stream
      return fail_or(m_.services.begin_child
                         ? m_.services.begin_child(ChildCopy{argument<u64>(0), 0, argument<u64>(2),
                                                             argument<u32>(1) & 0xFF, true, argument<u64>(3)})
                         : kInvalidValue);
    case DeviceCall::graph_set_conditional:
      if (!m_.services.set_condition || !m_.services.set_condition(argument<u64>(0), argument<u32>(1)))
        m_.fault(w_, ins_, observe::FindingKind::bad_call, lane_,
                 Machine::who(w_, lane_) +
                     " calls cudaGraphSetConditional with a handle that cudaGraphConditionalHandleCreate has "
                     "not given, or whose graph is gone.");
      return;
    default:
      return give(kSuccess);  // what has nothing to order
  }
}

}  // namespace

void call_device_runtime(Warp& w, const Ins& ins, const lower::CallOp& call, u32 mask) {
  for (u32 left = mask; left && !w.machine->stop; left &= left - 1)
    LaneCall(w, ins, call, static_cast<u32>(__builtin_ctz(left))).run();
}

}  // namespace simgpu::exec

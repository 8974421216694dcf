/// @file
/// Services for running kernels.
#include "simgpu/runtime/device_services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

namespace simgpu::runtime {
namespace {

/// Before each allocation of the device's heap lies room that belongs to the allocator. nvcc counts on it: for `new T[n]` with a
/// constructor it stores n in the eight bytes before the array, without having asked malloc for them. [bytes]
constexpr std::uint64_t kHeapHeader = 16;
constexpr std::size_t kHeapDefault = 8388608;  ///< of an H200 [bytes]

std::uint64_t take_from_heap(Runtime& runtime, int device, std::uint64_t bytes) {
  DeviceState& state = *runtime.devices[static_cast<std::size_t>(device)];
  const auto limit = state.limits.find(cudaLimitMallocHeapSize);
  const std::uint64_t heap = limit != state.limits.end() ? limit->second : kHeapDefault;
  if (bytes == 0 || bytes > heap - std::min(heap, state.heap_bytes)) return 0;
  AllocationInfo info;
  info.device = device;
  info.heap = true;
  const memory::Allocation* allocation =
      runtime.allocate(kHeapHeader + bytes, memory::AllocationKind::device, std::move(info), 16);
  if (allocation == nullptr) return 0;
  state.heap_bytes += bytes;
  return allocation->base + kHeapHeader;
}

void give_to_heap(Runtime& runtime, int device, std::uint64_t address) {
  const memory::Allocation* allocation = runtime.memory.find(address);
  if (allocation == nullptr || !allocation->live || allocation->base + kHeapHeader != address) return;
  const AllocationInfo* info = runtime.info_of(*allocation);
  if (info == nullptr || !info->heap) return;
  runtime.devices[static_cast<std::size_t>(device)]->heap_bytes -= allocation->bytes - kHeapHeader;
  runtime.release(allocation->base);
}

/// Tells a waiting user that a kernel still runs, at first after this time and then after twice as long each. [s]
constexpr double kFirstNote = 10;

class Progress {
 public:
  Progress(std::string kernel, std::uint64_t blocks, std::uint64_t limit)
      : kernel_(std::move(kernel)), blocks_(blocks), limit_(limit) {}

  void operator()(std::uint64_t instructions, std::uint64_t begun) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (seconds < next_) return;
    next_ *= 2;
    fmt::print(stderr,
               "simgpu: {} has been simulated for {:.0f} s: {} million warp instructions, {} of {} blocks "
               "begun{}.\n",
               kernel_, seconds, instructions / 1'000'000, begun, blocks_,
               limit_ == 0 ? "" : fmt::format("; it is stopped after {} million", limit_ / 1'000'000));
  }

 private:
  std::string kernel_;
  std::uint64_t blocks_, limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double next_ = kFirstNote;
};

}  // namespace

exec::Services device_services(Runtime& runtime, int device, const std::string& kernel,
                               std::uint64_t blocks) {
  exec::Services out;
  out.print = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  out.assertion = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
  if (!runtime.reports_elsewhere) {
    out.progress = Progress(kernel, blocks, runtime.config.warp_instruction_limit);
  }
  out.device_malloc = [&runtime, device](std::uint64_t bytes) {
    return take_from_heap(runtime, device, bytes);
  };
  out.device_free = [&runtime, device](std::uint64_t address) { give_to_heap(runtime, device, address); };
  return out;
}

}  // namespace simgpu::runtime

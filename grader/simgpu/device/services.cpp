/// @file
/// Services for running kernels.
#include "simgpu/device/services.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>

#include "simgpu/report/names.hpp"

namespace simgpu::device {
namespace {

/// Before each allocation of the device's heap lies room that belongs to the allocator. nvcc counts on it: for `new T[n]` with a
/// constructor it stores n in the eight bytes before the array, without having asked malloc for them. [bytes]
constexpr std::uint64_t kHeapHeader = 16;

std::uint64_t take_from_heap(Gpu& gpu, int device, std::uint64_t bytes) {
  Unit& unit = gpu.unit(device);
  if (bytes == 0 || bytes > unit.heap_limit - std::min(unit.heap_limit, unit.heap_bytes)) return 0;
  const memory::Allocation* allocation = gpu.allocate(kHeapHeader + bytes, memory::AllocationKind::device,
                                                      {.device = device, .origin = Facts::Origin::heap}, 16);
  if (allocation == nullptr) return 0;
  unit.heap_bytes += bytes;
  return allocation->base + kHeapHeader;
}

void give_to_heap(Gpu& gpu, int device, std::uint64_t address) {
  const memory::Allocation* allocation = gpu.memory.find(address);
  if (allocation == nullptr || !allocation->live || allocation->base + kHeapHeader != address) return;
  const Facts* facts = gpu.facts_of(*allocation);
  if (facts == nullptr || facts->origin != Facts::Origin::heap) return;
  gpu.unit(device).heap_bytes -= allocation->bytes - kHeapHeader;
  gpu.release(allocation->base);
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
    fmt::print(stderr, "simgpu: {}\n", still_running(kernel_, seconds, instructions, limit_, begun, blocks_));
  }

 private:
  std::string kernel_;
  std::uint64_t blocks_, limit_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  double next_ = kFirstNote;
};

}  // namespace

std::string still_running(const std::string& kernel, double seconds, std::uint64_t instructions,
                          std::uint64_t limit, std::uint64_t begun, std::uint64_t blocks) {
  return fmt::format(
      "{} has been simulated for {:.0f} s: {} million warp instructions, {} of {} blocks begun{}.",
      report::shortened_name(kernel), seconds, instructions / 1'000'000, begun, blocks,
      limit == 0 ? "" : fmt::format("; it is stopped after {} million", limit / 1'000'000));
}

exec::Services services(Gpu& gpu, const Unasked& unasked, int device, const std::string& kernel,
                        std::uint64_t blocks) {
  exec::Services out;
  out.print = [&unasked](std::string_view text) { unasked.said({std::string(text)}); };
  out.assertion = [](std::string_view text) { fmt::print(stderr, "{}\n", text); };
  if (!gpu.settings.quiet) out.progress = Progress(kernel, blocks, gpu.settings.warp_instruction_limit);
  out.device_malloc = [&gpu, device](std::uint64_t bytes) { return take_from_heap(gpu, device, bytes); };
  out.device_free = [&gpu, device](std::uint64_t address) { give_to_heap(gpu, device, address); };
  return out;
}

}  // namespace simgpu::device

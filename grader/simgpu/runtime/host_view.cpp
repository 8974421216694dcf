/// @file
/// See host_view.hpp. Ranges are mapped when their first address comes up, and become accessible in large steps, as the device's own do:
/// the process has a handful of mappings however many allocations there are.
#include "simgpu/runtime/host_view.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "simgpu/memory/device_memory.hpp"
#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/runtime/visited_pages.hpp"

namespace simgpu::runtime {
namespace {

constexpr std::uint64_t kStep = 64ull << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) {
  return (value + to - 1) / to * to;
}
void* host_pointer(std::uint64_t address) {
  return reinterpret_cast<void*>(address);
}

/// Without its memory at these addresses the program would only go wrong later.
[[noreturn]] void give_up(std::uint64_t address) {
  std::fprintf(stderr, "simgpu: cannot map the memory at %p that the program shares with the device: %s.\n",
               host_pointer(address), std::strerror(errno));
  std::abort();
}

}  // namespace

HostView::~HostView() {
  for (const auto& [base, open] : open_) ::munmap(host_pointer(base), memory::kHostRange);
}

bool HostView::is_apart(std::uint64_t address) const {
  return pages_ != nullptr && (pages_->hold_all() || memory::is_managed_address(address));
}

void HostView::allocated(std::uint64_t address, std::uint64_t bytes) {
  if (!is_apart(address)) return;
  if (memory::is_managed_address(address)) watch_visits(address, bytes);
  const std::uint64_t area = memory::is_managed_address(address) ? memory::kManagedBase : memory::kPinnedBase;
  const std::uint64_t base = area + (address - area) / memory::kHostRange * memory::kHostRange;
  const auto [range, fresh] = open_.try_emplace(base, 0);
  if (fresh && pages_->map(base, memory::kHostRange, PROT_NONE, host_pointer(base)) == nullptr) give_up(base);
  std::uint64_t& open = range->second;
  const std::uint64_t upto = std::min(round_up(address + bytes - base, kStep), memory::kHostRange);
  if (upto <= open) return;
  if (::mprotect(host_pointer(base + open), upto - open, PROT_READ | PROT_WRITE) != 0) give_up(address);
  open = upto;
}

void HostView::freed(std::uint64_t address, std::uint64_t bytes) {
  if (!is_apart(address)) return;
  forget_visits(address);
  if (bytes < memory::kHostPage) return;
  ::mprotect(host_pointer(address), round_up(bytes, memory::kHostPage), PROT_NONE);
}

}  // namespace simgpu::runtime

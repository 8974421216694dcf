/// @file
/// Address ranges are reserved once and handed out upwards. Their bytes become accessible in large steps, so
/// that the process has a handful of mappings however many allocations there are.
#include "simgpu/memory/device_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "simgpu/memory/shared_pages.hpp"
#include "simgpu/memory/textures.hpp"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace simgpu::memory {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kStep = 64ull << 20;  // accessible bytes grow by this much
constexpr std::uint64_t kSmallGap = 512;
constexpr std::uint64_t kLargestGap = 1ull << 30;
constexpr std::uint64_t kHugePage = 2ull << 20;
// From here on an allocation's pages become accessible by themselves, without the gap behind it, and stop being so when it is freed. What is
// accessible is what a limit on private memory counts: addresses are not handed out twice, so it would count all that ever was. (Host
// memory is shared where there is such a limit. What the host can touch beside an allocation stays as it is.)
constexpr std::uint64_t kOwnPages = 4ull << 20;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) noexcept {
  return (value + to - 1) / to * to;
}
std::uint64_t page_of(std::uint64_t address) noexcept {
  return address / kPage * kPage;
}

// Reserves exactly this range without backing, or as a mapping of @p pages of the addresses from @p of on. Never returns on failure:
// without these addresses nothing can work, and addresses that differ from run to run would make reports differ.
void reserve(std::uint64_t base, std::uint64_t bytes, const SharedPages* pages = nullptr,
             std::uint64_t of = 0) {
  void* wanted = reinterpret_cast<void*>(base);
  void* got = pages != nullptr
                  ? pages->map(of, bytes, PROT_NONE, wanted)
                  : mmap(wanted, bytes, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == wanted) return;
  std::fprintf(stderr,
               "simgpu: cannot reserve %llu GiB of address space at %p; raise the limit on virtual memory "
               "(ulimit -v unlimited).\n",
               static_cast<unsigned long long>(bytes >> 30), wanted);
  std::abort();
}

// A range of addresses given out upwards.
struct Arena {
  std::uint64_t base = 0, size = 0;      // addresses that allocations get
  std::uint64_t data = 0;                // where the bytes of `base` lie in this process
  std::uint64_t next = 0;                // first address not given out, as offset
  std::uint64_t accessible = 0;          // behind this nothing can be read or written yet
  bool own_pages = false;                // large allocations are accessible by themselves, see kOwnPages
  std::vector<std::uint64_t> bases;      // ascending
  std::vector<Allocation*> allocations;  // same order

  bool holds(std::uint64_t address) const noexcept { return address >= base && address - base < size; }

  // First allocation whose base is above the address, as index.
  std::size_t above(std::uint64_t address) const noexcept {
    return static_cast<std::size_t>(std::upper_bound(bases.begin(), bases.end(), address) - bases.begin());
  }

  // @return offset, or nothing if the range or the system's memory is used up.
  bool take(std::uint64_t bytes, std::uint64_t align, std::uint64_t& offset) {
    // Large allocations own their pages, so that free() can give them back.
    align = std::max(align, bytes >= kPage ? kPage : std::uint64_t{512});
    if (bytes > size || align > size) return false;  // before anything is computed of them
    // A gap as long as the allocation itself: an overrun by up to twice the length is still recognised.
    const std::uint64_t gap = std::clamp(std::bit_ceil(bytes), kSmallGap, kLargestGap);
    const std::uint64_t start = round_up(next + kSmallGap, align);
    if (start > size || bytes + gap > size - start) return false;
    if (!make_accessible(start, bytes)) return false;
    offset = start;
    next = start + bytes + gap;
    return true;
  }

  bool make_accessible(std::uint64_t start, std::uint64_t bytes) {
    const std::uint64_t end = round_up(start + bytes, kPage);
    if (end <= accessible) return true;
    const std::uint64_t from = own_pages ? std::max(accessible, page_of(start)) : accessible,
                        upto = own_pages && bytes >= kOwnPages ? end : std::min(round_up(end, kStep), size);
    if (mprotect(reinterpret_cast<void*>(data + from), upto - from, PROT_READ | PROT_WRITE) != 0)
      return false;
    accessible = upto;
    return true;
  }
};

std::atomic<std::uint32_t> devices_in_use{0};  // bit d: address range d is taken

std::uint32_t claim_index() {
  std::uint32_t used = devices_in_use.load();
  for (;;) {
    const auto index = static_cast<std::uint32_t>(std::countr_one(used));
    if (index >= kMaxDevices) {
      std::fprintf(stderr, "simgpu: a process can have %u simulated devices at most.\n", kMaxDevices);
      std::abort();
    }
    if (devices_in_use.compare_exchange_weak(used, used | (1u << index))) return index;
  }
}

bool is_module_scope(AllocationKind kind) noexcept {
  return kind == AllocationKind::global || kind == AllocationKind::constant;
}

bool is_variable(const Allocation& a) noexcept {
  return is_module_scope(a.kind) || !a.name.empty();
}

bool counts_as_used(AllocationKind kind) noexcept {
  return kind == AllocationKind::device || kind == AllocationKind::managed;
}

}  // namespace

struct DeviceMemory::Impl {
  std::uint32_t index = 0;
  Arena device, pinned, managed;
  std::map<std::uint64_t, Allocation*> adopted;  // live ones only, by base
  std::deque<Allocation> all;                    // never moves
  std::size_t live = 0;
  mutable const Allocation* last = nullptr;  // last hit of find()

  std::array<Arena*, 3> arenas() { return {&device, &pinned, &managed}; }

  Arena& arena_of(AllocationKind kind) noexcept {
    if (kind == AllocationKind::pinned || kind == AllocationKind::registered) return pinned;
    return kind == AllocationKind::managed ? managed : device;
  }

  const Arena* arena_at(std::uint64_t address) const noexcept {
    if (device.holds(address)) return &device;
    if (pinned.holds(address)) return &pinned;
    return managed.holds(address) ? &managed : nullptr;
  }
};

DeviceMemory::DeviceMemory(std::uint64_t capacity_bytes, const SharedPages* pages)
    : impl_(std::make_unique<Impl>()),
      textures_(std::make_unique<TextureTable>()),
      pages_(pages),
      capacity_(capacity_bytes) {
  const std::uint32_t d = claim_index();
  impl_->index = d;
  impl_->device.base = kDeviceBase + d * kDeviceRange;
  impl_->device.size = kDeviceRange;
  impl_->device.data = impl_->device.base + kHostDistance;
  impl_->device.own_pages = true;
  impl_->pinned.base = kPinnedBase + d * kHostRange;
  impl_->managed.base = kManagedBase + d * kHostRange;
  reserve(impl_->device.base, kDeviceRange);
  reserve(impl_->device.data, kDeviceRange);
  for (Arena* arena : {&impl_->pinned, &impl_->managed}) {
    const SharedPages* const of = has_own_view() || arena == &impl_->managed ? pages : nullptr;
    arena->size = kHostRange;
    arena->data = arena->base + (of != nullptr ? kViewDistance : 0);
    reserve(arena->data, arena->size, of, arena->base);
  }
}

DeviceMemory::~DeviceMemory() {
  while (!impl_->adopted.empty()) free(impl_->adopted.begin()->first);
  munmap(reinterpret_cast<void*>(impl_->device.base), kDeviceRange);
  for (Arena* arena : impl_->arenas()) munmap(reinterpret_cast<void*>(arena->data), arena->size);
  devices_in_use.fetch_and(~(1u << impl_->index));
}

const Allocation* DeviceMemory::allocate(std::uint64_t bytes, AllocationKind kind, std::uint64_t align,
                                         std::string name) {
  std::uint64_t* const total = counts_as_used(kind) ? &used_ : is_module_scope(kind) ? &variables_ : nullptr;
  if (total != nullptr && (bytes > capacity_ || *total > capacity_ - bytes)) return nullptr;
  if (bytes > limit_ || live_ > limit_ - bytes) return nullptr;
  Arena& arena = impl_->arena_of(kind);
  // What the host can touch as well has its pages for itself, so that they can be closed to it while a device uses them.
  if (&arena != &impl_->device) align = std::max(align, kPage);
  if (&arena == &impl_->managed) align = std::max(align, kManagedPiece);
  std::uint64_t offset = 0;
  if (!arena.take(bytes, std::bit_ceil(std::max<std::uint64_t>(align, 256)), offset)) return nullptr;

  Allocation& a = impl_->all.emplace_back();
  a.base = arena.base + offset;
  a.bytes = bytes;
  a.kind = kind;
  a.id = static_cast<std::uint32_t>(impl_->all.size() - 1);
  a.host = reinterpret_cast<std::byte*>(arena.data + offset);
  a.name = std::move(name);
  arena.bases.push_back(a.base);
  arena.allocations.push_back(&a);
  // Large arrays on large pages: a kernel that streams through them would wait for the host's address translation.
  if (const std::uint64_t first = round_up(arena.data + offset, kHugePage), end = arena.data + offset + bytes;
      bytes >= 4 * kHugePage) {
    madvise(reinterpret_cast<void*>(first), (end - first) / kHugePage * kHugePage, MADV_HUGEPAGE);
  }
  if (kind == AllocationKind::device && bytes <= kFillLimit) std::memset(a.host, 0xCD, bytes);
  if (total != nullptr) *total += bytes;
  live_ += bytes;
  if (!is_variable(a)) ++impl_->live;
  return &a;
}

const Allocation* DeviceMemory::adopt(void* host, std::uint64_t bytes, AllocationKind kind) {
  const auto base = reinterpret_cast<std::uint64_t>(host);
  if (base == 0 || bytes == 0 || base + bytes < base) return nullptr;
  for (Arena* arena : impl_->arenas()) {
    if (base < arena->base + arena->size && arena->base < base + bytes) return nullptr;
  }
  const auto next = impl_->adopted.lower_bound(base);
  if (next != impl_->adopted.end() && next->first < base + bytes) return nullptr;
  if (next != impl_->adopted.begin() && std::prev(next)->second->end() > base) return nullptr;
  auto* bytes_at = static_cast<std::byte*>(host);
  if (has_own_view()) {
    const std::uint64_t first = page_of(base);
    std::byte* const view = pages_->map(first, round_up(base + bytes, kPage) - first, PROT_READ | PROT_WRITE);
    if (view == nullptr) return nullptr;
    bytes_at = view + (base - first);
  }

  Allocation& a = impl_->all.emplace_back();
  a.base = base;
  a.bytes = bytes;
  a.kind = kind;
  a.id = static_cast<std::uint32_t>(impl_->all.size() - 1);
  a.host = bytes_at;
  impl_->adopted.emplace(base, &a);
  ++impl_->live;
  return &a;
}

bool DeviceMemory::free(std::uint64_t base) {
  impl_->last = nullptr;
  if (const auto it = impl_->adopted.find(base); it != impl_->adopted.end()) {
    const Allocation& a = *it->second;
    if (has_own_view()) {
      const std::uint64_t first = page_of(base);
      munmap(a.host - (base - first), round_up(a.end(), kPage) - first);
    }
    it->second->live = false;
    impl_->adopted.erase(it);
    --impl_->live;
    return true;
  }
  const Arena* arena = impl_->arena_at(base);
  if (arena == nullptr) return false;
  const std::size_t i = arena->above(base);
  if (i == 0 || arena->bases[i - 1] != base) return false;
  Allocation& a = *arena->allocations[i - 1];
  if (!a.live) return false;
  a.live = false;
  live_ -= a.bytes;
  if (counts_as_used(a.kind)) used_ -= a.bytes;
  if (is_module_scope(a.kind)) variables_ -= a.bytes;
  if (!is_variable(a)) --impl_->live;

  // Whole pages go back to the system. Those of host memory become inaccessible, so that a use after free
  // faults there too.
  if (a.bytes >= kPage) {
    const std::uint64_t length = round_up(a.bytes, kPage);
    if (arena->data == arena->base + kViewDistance) {
      pages_->give_back(a.base, length);
    } else {
      madvise(a.host, length, MADV_DONTNEED);
    }
    if (arena != &impl_->device || a.bytes >= kOwnPages) mprotect(a.host, length, PROT_NONE);
  }
  return true;
}

const Allocation* DeviceMemory::find(std::uint64_t address) const noexcept {
  const Allocation* last = impl_->last;
  if (last != nullptr && address - last->base < last->bytes) return last;
  const Allocation* found = nullptr;
  if (const Arena* arena = impl_->arena_at(address)) {
    const std::size_t i = arena->above(address);
    if (i > 0 && arena->allocations[i - 1]->contains(address, 1)) found = arena->allocations[i - 1];
  } else if (!impl_->adopted.empty()) {
    const auto next = impl_->adopted.upper_bound(address);
    if (next != impl_->adopted.begin() && std::prev(next)->second->contains(address, 1)) {
      found = std::prev(next)->second;
    }
  }
  if (found != nullptr) impl_->last = found;
  return found;
}

const Allocation* DeviceMemory::nearest(std::uint64_t address) const noexcept {
  const Allocation* best = nullptr;
  std::uint64_t best_distance = ~0ull;
  auto consider = [&](const Allocation* a) {
    std::uint64_t distance = 0;
    if (address < a->base) {
      distance = a->base - address;
    } else if (address >= a->end()) {
      distance = address - a->end() + 1;
    }
    if (distance < best_distance) {
      best = a;
      best_distance = distance;
    }
  };
  for (const Arena* arena : impl_->arenas()) {
    const std::size_t i = arena->above(address);
    if (i > 0) consider(arena->allocations[i - 1]);
    if (i < arena->allocations.size()) consider(arena->allocations[i]);
  }
  const auto next = impl_->adopted.upper_bound(address);
  if (next != impl_->adopted.end()) consider(next->second);
  if (next != impl_->adopted.begin()) consider(std::prev(next)->second);
  return best;
}

std::uint32_t DeviceMemory::index() const noexcept {
  return impl_->index;
}

std::size_t DeviceMemory::live_count() const noexcept {
  return impl_->live;
}

std::vector<const Allocation*> DeviceMemory::all() const {
  std::vector<const Allocation*> result;
  result.reserve(impl_->all.size());
  for (const Allocation& a : impl_->all) result.push_back(&a);
  return result;
}

}  // namespace simgpu::memory

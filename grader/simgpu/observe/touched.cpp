/// @file
/// See touched.hpp.
#include "simgpu/observe/touched.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::observe {

void TouchedObserver::launch_begin(const LaunchInfo&) {
  take();
  coverages_.clear();
}

void TouchedObserver::add(const Site& site, std::uint64_t address, std::uint64_t bytes, bool reads,
                          bool writes, bool strong) {
  if (!memory::is_device_address(address)) {
    watcher_.kernel_touches(address, bytes, writes);
    if (writes && strong) {
      // What the host learns from this of the launch's own plain writes, it learns behind a fence that holds the host, too.
      if (system_fence_ || !shown_plainly_)
        told_host_ = true;
      else
        tells_unfenced_ = true;
    }
    shown_plainly_ |= writes && !strong;
  }
  if (reads) (strong ? strong_reads_ : reads_).add(address, bytes);
  if (writes) (strong ? strong_writes_ : writes_).add(address, bytes);
  if (site.id >= sites_.size()) sites_.resize(site.id + 1);
  SiteRange& range = sites_[site.id];
  range.site = &site;
  range.reads |= reads;
  range.writes |= writes;
  range.strong |= strong;
  range.begin = std::min(range.begin, address);
  range.end = std::max(range.end, address + bytes);
}

void TouchedObserver::access(const Access& a) {
  if (a.memory != Memory::global && a.memory != Memory::constant) return;
  const bool atomic = is_atomic(a.kind);
  const bool reads = a.kind != AccessKind::store, writes = a.kind != AccessKind::load;
  const bool wide = a.ordering == Ordering::volatile_ || a.scope == Scope::gpu || a.scope == Scope::sys;
  const bool strong = wide && (atomic || a.ordering != Ordering::weak);
  if (strong && a.ordering != Ordering::weak && a.ordering != Ordering::volatile_ &&
      a.ordering != Ordering::relaxed) {
    fences_ = true;
    system_fence_ |= a.scope == Scope::sys;
  }
  if (const Coverage* cover = coverages_.of(a)) {
    const std::uint64_t first = a.first();
    for (std::uint32_t i = 0; i < cover->count; ++i) {
      const Coverage::Stretch& stretch = cover->stretches[i];
      add(*a.site, first + static_cast<std::uint64_t>(stretch.offset), stretch.bytes, reads, writes, strong);
    }
    return;
  }
  const std::uint64_t* const at = a.address;
  for (std::uint32_t mask = a.mask; mask != 0; mask &= mask - 1) {
    add(*a.site, at[std::countr_zero(mask)], a.bytes, reads, writes, strong);
  }
}

void TouchedObserver::texture(const TextureAccess& a) {
  const bool writes = a.kind != AccessKind::load, reads = a.kind != AccessKind::store;
  const bool atomic = is_atomic(a.kind);
  for (std::uint32_t i = 0; i < a.texels; ++i) add(*a.site, a.place[i], a.bytes, reads, writes, atomic);
}

void TouchedObserver::bulk_access(const BulkAccess& a) {
  if (a.bytes == 0) return;
  const bool load = a.kind == AccessKind::load, reduction = a.kind == AccessKind::reduction;
  for (std::size_t i = 0; i < a.span_count; ++i) {
    add(*a.site, a.spans[i].address, a.spans[i].bytes, load || reduction, !load, reduction);
  }
}

void TouchedObserver::fence(const WarpId&, std::uint32_t, Scope scope) {
  fences_ |= scope == Scope::gpu || scope == Scope::sys;
  system_fence_ |= scope == Scope::sys;
}

Touched TouchedObserver::take() {
  Touched touched;
  touched.reads = reads_.take();
  touched.writes = writes_.take();
  touched.strong_reads = strong_reads_.take();
  touched.strong_writes = strong_writes_.take();
  touched.fences = std::exchange(fences_, false);
  touched.tells_unfenced = std::exchange(tells_unfenced_, false) && !told_host_;
  touched.lets_next = std::exchange(lets_next_, false);
  told_host_ = system_fence_ = shown_plainly_ = false;
  for (const SiteRange& range : sites_) {
    if (range.site == nullptr) continue;
    touched.places.push_back({range.site->file, range.site->name, range.site->line, range.writes,
                              range.strong, range.begin, range.end});
  }
  sites_.clear();
  return touched;
}

}  // namespace simgpu::observe

/// @file
/// See early_touched.hpp.
#include "simgpu/observe/early_touched.hpp"

#include <bit>

namespace simgpu::observe {

void EarlyTouched::launch_begin(const LaunchInfo& info) {
  touched_.launch_begin(info);
  lanes_.clear();
  blocks_.clear();
  whole_.clear();
  any_ = false;
}

std::uint32_t EarlyTouched::waited(const WarpId& warp) const {
  if (!any_) return 0;
  if (whole_.contains(warp.block_linear)) return ~0u;
  const auto it = lanes_.find(key_of(warp));
  return it != lanes_.end() ? it->second : 0;
}

void EarlyTouched::grid_dependency_wait(const WarpId& warp, std::uint32_t mask) {
  any_ = true;
  lanes_[key_of(warp)] |= mask;
  blocks_.insert(warp.block_linear);
}

// Who meets others of a block in which somebody has waited is taken to have met that one, at one remove at least: a check must not refuse
// what is sound.
void EarlyTouched::meets(const WarpId& warp, std::uint32_t mask) {
  if (any_ && blocks_.contains(warp.block_linear)) lanes_[key_of(warp)] |= mask;
}

void EarlyTouched::meets_all(const WarpId& any) {
  if (any_ && blocks_.contains(any.block_linear)) whole_.insert(any.block_linear);
}

void EarlyTouched::access(const Access& a) {
  if (a.warp == nullptr) return;
  const std::uint32_t early = a.mask & ~waited(*a.warp);
  if (early == 0) return;
  if (early == a.mask) return touched_.access(a);
  Access some = a;  // its shape is of all lanes
  some.mask = early;
  some.shape = 0;
  touched_.access(some);
}

void EarlyTouched::texture(const TextureAccess& a) {
  if (a.warp != nullptr && (a.mask & ~waited(*a.warp)) != 0) touched_.texture(a);
}

void EarlyTouched::bulk_access(const BulkAccess& a) {
  if (a.warp != nullptr && (waited(*a.warp) >> a.lane & 1) == 0) touched_.bulk_access(a);
}

}  // namespace simgpu::observe

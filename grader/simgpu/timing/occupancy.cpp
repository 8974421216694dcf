/// @file
/// The occupancy rules of compute capability 9.0; checked in the tests against the toolkit's own cuda_occupancy.h.
#include "simgpu/timing/occupancy.hpp"

#include <algorithm>

namespace simgpu::timing {
namespace {

std::uint64_t round_up(std::uint64_t value, std::uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::uint64_t warps_of(const BlockNeeds& needs) {
  return round_up(std::max<std::uint64_t>(needs.threads, 1), 32) / 32;
}

/// Blocks that the register file holds. Each of the SM's four partitions has a quarter of the file and takes whole warps, so
/// the count goes by warps per partition, not by registers per block.
std::uint64_t blocks_by_registers(const Device& device, const BlockNeeds& needs) {
  constexpr std::uint64_t kPartitions = 4;
  const std::uint64_t per_warp =
      round_up(std::uint64_t{std::max(needs.registers_per_thread, 1u)} * 32, device.register_granule);
  const std::uint64_t warps = device.registers_per_sm / kPartitions / per_warp * kPartitions;
  return warps / warps_of(needs);
}

}  // namespace

std::string_view name_of(Limiter limiter) noexcept {
  switch (limiter) {
    case Limiter::threads:
      return "threads";
    case Limiter::blocks:
      return "blocks";
    case Limiter::registers:
      return "registers";
    case Limiter::shared_memory:
      return "shared memory";
    case Limiter::grid:
      return "grid";
  }
  return "threads";
}

std::uint64_t registers_of_block(const Device& device, const BlockNeeds& needs) noexcept {
  const std::uint64_t per_warp =
      round_up(std::uint64_t{std::max(needs.registers_per_thread, 1u)} * 32, device.register_granule);
  // Warps are dealt to the four partitions, so a block takes registers for a multiple of four warps.
  return per_warp * round_up(warps_of(needs), 4);
}

Occupancy occupancy(const Device& device, const BlockNeeds& needs) noexcept {
  Occupancy result;
  if (needs.threads == 0 || needs.threads > device.threads_per_block_max) return result;
  const std::uint64_t shared =
      round_up(needs.shared_bytes + device.shared_reserved_per_block, device.shared_granule);
  const std::uint64_t by_threads = device.warps_per_sm / warps_of(needs);
  const std::uint64_t by_blocks = device.blocks_per_sm;
  const std::uint64_t by_registers =
      registers_of_block(device, needs) > device.registers_per_sm ? 0 : blocks_by_registers(device, needs);
  // Before compute capability 8.0 nothing is reserved, and a block may take no shared memory at all.
  const std::uint64_t by_shared = needs.shared_bytes > device.shared_per_block_optin ? 0
                                  : shared == 0                                      ? by_blocks
                                                : device.shared_per_sm / shared;
  // On a tie the first one named is the one that a student can do something about most directly.
  std::uint64_t blocks = by_threads;
  result.limiter = Limiter::threads;
  if (by_blocks < blocks) blocks = by_blocks, result.limiter = Limiter::blocks;
  if (by_registers < blocks) blocks = by_registers, result.limiter = Limiter::registers;
  if (by_shared < blocks) blocks = by_shared, result.limiter = Limiter::shared_memory;
  result.blocks_per_sm = static_cast<std::uint32_t>(blocks);
  result.fraction = static_cast<double>(blocks * warps_of(needs)) / device.warps_per_sm;
  return result;
}

std::uint64_t shared_available(const Device& device, const BlockNeeds& needs, std::uint32_t blocks) noexcept {
  if (blocks == 0) return 0;
  BlockNeeds bare = needs;
  bare.shared_bytes = 0;
  if (occupancy(device, bare).blocks_per_sm < blocks) return 0;
  const std::uint64_t share = device.shared_per_sm / blocks / device.shared_granule * device.shared_granule;
  const std::uint64_t taken = device.shared_reserved_per_block + needs.shared_bytes;
  if (share <= taken) return 0;
  return std::min<std::uint64_t>(share - taken, device.shared_per_block_optin - needs.shared_bytes);
}

}  // namespace simgpu::timing

/// @file
/// Wavefronts of the data stage that shared and global memory share: 32 banks of 4-byte words.
///
/// Lanes are served in groups of 32, 16, 8 or 4 for accesses of up to 4, 8, 16 or 32 bytes. A group takes as
/// many wavefronts as the bank with the most distinct words; equal words never conflict, for stores either.
///
/// Loads of 8 and 16 bytes from shared memory may merge two neighbouring groups into one wavefront: when
/// every lane T asks for the same address as lane T^1, or every lane for the same as lane T^2 (a broadcast is
/// both), and no bank holds more than one distinct word for the two groups together. Then 8-byte loads take 1
/// and 16-byte loads 2 wavefronts.
#pragma once

#include <cstdint>

namespace simgpu::observe {

/// A request's passes: those it takes, and the fewest that its width and active lanes allow. `taken - ideal`
/// are conflicts.
struct Wavefronts {
  std::uint32_t taken = 0, ideal = 0;
};

/// How lanes with equal words are treated.
enum class BankRule : std::uint8_t {
  plain,        ///< equal words are one: shared stores, global loads and stores
  shared_load,  ///< the same, and groups may merge
  /// Each lane by itself: cp.async writes, and shared atomics whose equal addresses take turns (floating
  /// point, compare and swap): a pass for each distinct word and a replay for each further lane on it.
  each_lane,
};

/// @param address shared: offset in the block's memory; global: device address. Ignored for lanes outside @p
/// mask.
Wavefronts wavefronts_of(const std::uint64_t* address, std::uint32_t mask, std::uint32_t bytes,
                         BankRule rule) noexcept;

/// Whether no two active lanes' addresses lie in the same bank: then they take one pass by any rule, if they ask for one word each.
bool each_bank_once(const std::uint64_t* address, std::uint32_t mask) noexcept;

/// Lanes on the busiest address; 0 if none is active.
std::uint32_t most_on_one_address(const std::uint64_t* address, std::uint32_t mask) noexcept;

/// Passes through the constant cache: one for each distinct word that the warp asks for.
std::uint32_t constant_passes_of(const std::uint64_t* address, std::uint32_t mask) noexcept;

}  // namespace simgpu::observe

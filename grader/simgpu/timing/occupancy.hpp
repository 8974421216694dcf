/// @file
/// How many blocks of a kernel live on one SM at once, and which resource decides.
#pragma once

#include <cstdint>
#include <string_view>

#include "simgpu/timing/device.hpp"

namespace simgpu::timing {

/// Assumed where no resource report names a kernel's registers.
inline constexpr std::uint32_t kAssumedRegisters = 32;

/// What one block asks for.
struct BlockNeeds {
  std::uint64_t threads = 0;  ///< per block
  std::uint32_t registers_per_thread = kAssumedRegisters;
  std::uint64_t shared_bytes = 0;  ///< static + dynamic, without the system's reserve
};

/// The resource that runs out first. `grid`: the grid is too small to fill the SMs, no resource runs out.
enum class Limiter : std::uint8_t { threads, blocks, registers, shared_memory, grid };

/// The word for a limiter in reports: "threads", "blocks", "registers", "shared memory", "grid".
std::string_view name_of(Limiter limiter) noexcept;

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: a block does not fit at all
  double fraction = 0;              ///< resident warps / 64
  Limiter limiter = Limiter::threads;
};

/// @return how many such blocks an SM holds; `blocks_per_sm == 0` if not even one fits.
Occupancy occupancy(const Device& device, const BlockNeeds& needs) noexcept;

/// Largest dynamic shared memory with which @p blocks such blocks still fit on an SM.
/// @return bytes; 0 if they do not fit in any case.
std::uint64_t shared_available(const Device& device, const BlockNeeds& needs, std::uint32_t blocks) noexcept;

/// Registers that one block takes from the SM's file, in the hardware's granules.
std::uint64_t registers_of_block(const Device& device, const BlockNeeds& needs) noexcept;

}  // namespace simgpu::timing

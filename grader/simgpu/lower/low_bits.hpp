/// @file
/// What a function's text proves about the low bits of its registers. ptxas makes one wide access of several narrow ones only
/// where it can prove that the address is aligned, and this is all that it goes by (tried with ptxas 13.0).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simgpu/lower/code.hpp"

namespace simgpu::lower {

/// The lowest bits of a value, as far as they are known without a gap. Six are enough for any alignment that matters.
struct LowBits {
  static constexpr std::uint8_t kMost = 6;
  std::uint8_t known = 0;
  std::uint8_t value = 0;  ///< of the known bits; the others are 0

  static LowBits of(std::uint64_t constant) noexcept { return LowBits{kMost, 0}.with(constant); }
  /// @return as many known bits, of another value.
  LowBits with(std::uint64_t v) const noexcept {
    return {known, static_cast<std::uint8_t>(v & ((1u << known) - 1))};
  }
  bool operator==(const LowBits&) const = default;
};

LowBits operator+(LowBits a, LowBits b) noexcept;

/// Literals and symbols stand in the constant pool.
/// @return whether @p o is one; its value then is in @p value.
bool constant_of(const Code& code, Operand o, unsigned width, std::uint64_t& value);

/// @return whether @p value is the address of a variable in device memory: ptxas does not know where it will lie.
bool is_symbol_address(std::uint64_t value) noexcept;

/// @param body before registers have places: operands are their numbers, below @p registers.
/// @param local_alignment what a thread's local variables are aligned to [bytes].
/// @return one entry a register. A register that is written several times has the bits that all its values share.
std::vector<LowBits> low_bits_of(std::span<const Ins> body, const Code& code, std::size_t registers,
                                 std::uint64_t local_alignment);

}  // namespace simgpu::lower

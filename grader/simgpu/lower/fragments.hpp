/// @file
/// How a warp holds a matrix in its registers, for `wmma` and `mma.sync`: both use one layout here, so that one function says
/// where an element is. That of mma.sync is documented; wmma's is not, and programs may only count on it being the same in all
/// fragments of one type.
///
/// A matrix is cut into *tiles* of 8 rows, 4 lanes wide: lane t holds, of row t / 4, the elements from t % 4 * per_lane on. For A and the
/// accumulators rows are those of the product, for B its columns: so `outer` counts along m or n, and `inner` along k
/// (of accumulators, along n).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "simgpu/lower/code.hpp"

namespace simgpu::lower {

struct Fragment {
  MatrixPart part{};
  std::uint32_t outer = 0, inner = 0, bits = 0;

  /// Elements of a row that a lane holds: a register full, and two neighbours of an accumulator.
  std::uint32_t per_lane() const { return part == MatrixPart::sum ? 2 : std::max(1u, 32 / bits); }
  std::uint32_t tile_width() const { return 4 * per_lane(); }
  std::uint32_t tiles() const { return outer / 8 * (inner / tile_width()); }
  std::uint32_t registers_per_tile() const { return bits == 64 ? per_lane() : per_lane() * bits / 32; }
  /// Registers that hold it once. Fragments of halves have some of it twice in `wmma`.
  std::uint32_t registers() const { return tiles() * registers_per_tile(); }

  struct Place {
    std::uint32_t outer, inner;
  };
  /// Where tile @p n begins. Two tiles of a block of 16 rows come one after the other, then those beside them.
  Place tile(std::uint32_t n) const {
    const std::uint32_t beside = inner / tile_width();
    if (part == MatrixPart::b) return {n / beside * 8, n % beside * tile_width()};
    const std::uint32_t high = outer >= 16 ? 2 : 1;
    const std::uint32_t block = n / (beside * high), left = n % (beside * high);
    return {block * 16 + left % high * 8, left / high * tile_width()};
  }
};

/// Of operand @p part of a product of shape m x n x k.
inline Fragment fragment_of(const MatrixOp& op, MatrixPart part) {
  const std::uint32_t bits = bits_of(op.type[static_cast<std::size_t>(part)]);
  switch (part) {
    case MatrixPart::a:
      return {part, op.m, op.k, bits};
    case MatrixPart::b:
      return {part, op.n, op.k, bits};
    default:
      return {MatrixPart::sum, op.m, op.n, bits};
  }
}

}  // namespace simgpu::lower

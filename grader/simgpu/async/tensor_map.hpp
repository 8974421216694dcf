/// @file
/// Tensor maps: how a tensor lies in global memory and which box of it one copy moves.
///
/// The 128 bytes that a program hands around are opaque to it, so their layout is ours; a magic word tells maps made
/// here from anything else.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simgpu/async/swizzle.hpp"

namespace simgpu::async {

inline constexpr std::size_t kTensorMapBytes = 128;
inline constexpr std::uint32_t kMostDimensions = 5;

/// Element types, same numbers as CUtensorMapDataType.
enum class TensorType : std::uint8_t {
  u8,
  u16,
  u32,
  s32,
  u64,
  s64,
  f16,
  f32,
  f64,
  bf16,
  f32_ftz,
  tf32,
  tf32_ftz,
  count,
};
/// [bytes]
constexpr std::uint32_t bytes_of(TensorType t) noexcept {
  constexpr std::uint8_t table[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  return table[static_cast<std::size_t>(t)];
}

/// A tiled tensor map.
struct TensorMap {
  std::uint64_t magic = 0;
  std::uint64_t address = 0;  ///< of element (0, 0, ...), device address
  TensorType type = TensorType::u8;
  std::uint8_t rank = 0;
  Swizzle swizzle = Swizzle::none;
  std::uint8_t interleave = 0;
  bool fill_nan = false;  ///< what lies outside reads as NaN instead of zero
  std::array<std::uint8_t, kMostDimensions> element_strides{};  ///< every n-th element of the box
  std::array<std::uint16_t, kMostDimensions> box{};             ///< elements, innermost first
  std::array<std::uint32_t, kMostDimensions> last{};            ///< size - 1, since a size may be 2^32
  std::array<std::uint64_t, kMostDimensions - 1> strides{};     ///< of dimensions 1, 2, ... [bytes]

  /// Elements that a copy moves along dimension @p d.
  std::uint32_t moved(std::uint32_t d) const noexcept {
    const std::uint32_t step = d == 0 ? 1 : element_strides[d];
    return (box[d] + step - 1) / step;
  }
  /// Bytes of the box in shared memory; the same whether elements lie inside the tensor or not.
  std::uint64_t box_bytes() const noexcept;
  /// From one row of the box in shared memory to the next: with a swizzle, rows lie as far apart as its span, however short
  /// they are, and the bytes between stay as they were (seen on an H200).
  std::uint32_t row_pitch() const noexcept {
    return swizzle == Swizzle::none ? moved(0) * bytes_of(type) : span_of(swizzle);
  }
  /// Bytes of shared memory from the box's first to behind its last row's pitch.
  std::uint64_t shared_bytes() const noexcept {
    return box_bytes() / (moved(0) * bytes_of(type)) * row_pitch();
  }
};
static_assert(sizeof(TensorMap) <= kTensorMapBytes);

/// What cuTensorMapEncodeTiled gets, as plain numbers.
struct TensorMapRequest {
  std::uint32_t type = 0, rank = 0;
  std::uint64_t address = 0;
  const std::uint64_t* sizes = nullptr;    ///< rank elements
  const std::uint64_t* strides = nullptr;  ///< rank - 1 elements [bytes]
  const std::uint32_t* box = nullptr;
  const std::uint32_t* element_strides = nullptr;
  std::uint32_t interleave = 0, swizzle = 0, l2_promotion = 0, oob_fill = 0;
};

/// Checks a request by the rules of cuda.h and writes the map's 128 bytes to @p out.
/// @return what is wrong, as a sentence; empty if nothing is.
std::string encode(const TensorMapRequest& request, void* out);

/// Reads a map back. @return false if these 128 bytes were not made by encode().
bool decode(const void* bytes, TensorMap& out) noexcept;
/// Puts another address into a map. @return what is wrong; empty if nothing is.
std::string replace_address(void* map, std::uint64_t address);

/// One row of a box: elements side by side in dimension 0.
struct BoxRow {
  std::uint32_t place = 0;         ///< of the row in the box [bytes]
  std::uint32_t from = 0, to = 0;  ///< the part of the row that lies inside the tensor [bytes]; equal: none
  std::uint64_t address = 0;       ///< of that part in global memory
};

/// @param start coordinates of the box's first element, innermost first; may lie outside.
/// @param row_bytes length of every row.
std::vector<BoxRow> rows_of(const TensorMap& map, const std::int32_t* start, std::uint32_t& row_bytes);

}  // namespace simgpu::async

/// @file
/// See tensor_map.hpp.
#include "simgpu/async/tensor_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace simgpu::async {
namespace {

constexpr std::uint64_t kMagic = 0x5A17'C0DE'7E50'12A9ull;  // an unlikely value
constexpr std::uint32_t kInterleave32 = 2;
constexpr std::uint32_t kSwizzles = 7, kInterleaves = 3, kPromotions = 4, kFills = 2, kTypes = 16;

bool is_float(TensorType t) {
  return t >= TensorType::f16 && t < TensorType::count;
}

}  // namespace

std::uint64_t TensorMap::box_bytes() const noexcept {
  std::uint64_t bytes = bytes_of(type);
  for (std::uint32_t d = 0; d < rank; ++d) bytes *= moved(d);
  return bytes;
}

std::string encode(const TensorMapRequest& r, void* out) {
  if (out == nullptr) return "The tensor map's address is null.";
  if (reinterpret_cast<std::uintptr_t>(out) % 64 != 0) return "The tensor map must be aligned to 64 bytes.";
  if (r.type >= kTypes) return "The data type is not one of CUtensorMapDataType.";
  if (r.rank == 0 || r.rank > kMostDimensions)
    return fmt::format("A tensor has 1 to 5 dimensions, not {}.", r.rank);
  if (r.interleave >= kInterleaves) return "The interleave is not one of CUtensorMapInterleave.";
  if (r.swizzle >= kSwizzles) return "The swizzle is not one of CUtensorMapSwizzle.";
  if (r.l2_promotion >= kPromotions) return "The L2 promotion is not one of CUtensorMapL2promotion.";
  if (r.oob_fill >= kFills) return "The out-of-bounds fill is not one of CUtensorMapFloatOOBfill.";
  if (r.type >= static_cast<std::uint32_t>(TensorType::count) || r.swizzle > 3)
    return "This packed data type or swizzle is of a later architecture and not simulated.";
  if (r.interleave != 0 && r.rank < 3) return "An interleaved tensor has at least 3 dimensions.";
  if (!r.sizes || (r.rank > 1 && !r.strides) || !r.box || !r.element_strides)
    return "An array of sizes, strides or box dimensions is null.";
  const auto type = static_cast<TensorType>(r.type);
  const std::uint32_t element = bytes_of(type);
  if (r.address == 0) return "The tensor's address is null.";
  const std::uint32_t unit = r.interleave == kInterleave32 ? 32 : 16;
  if (r.address % unit != 0) return fmt::format("The tensor's address must be aligned to {} bytes.", unit);
  TensorMap map;
  map.magic = kMagic;
  map.address = r.address;
  map.type = type;
  map.rank = static_cast<std::uint8_t>(r.rank);
  map.swizzle = static_cast<Swizzle>(r.swizzle);
  map.interleave = static_cast<std::uint8_t>(r.interleave);
  map.fill_nan = r.oob_fill != 0;
  for (std::uint32_t d = 0; d < r.rank; ++d) {
    if (r.sizes[d] == 0 || r.sizes[d] > 1ull << 32)
      return fmt::format("Dimension {} has {} elements; 1 to 2^32 are possible.", d, r.sizes[d]);
    map.last[d] = static_cast<std::uint32_t>(r.sizes[d] - 1);
    if (r.box[d] == 0 || r.box[d] > 256)
      return fmt::format("The box has {} elements in dimension {}; 1 to 256 are possible.", r.box[d], d);
    map.box[d] = static_cast<std::uint16_t>(r.box[d]);
    if (r.element_strides[d] == 0 || r.element_strides[d] > 8)
      return fmt::format("The element stride of dimension {} is {}; 1 to 8 are possible.", d,
                         r.element_strides[d]);
    map.element_strides[d] = static_cast<std::uint8_t>(r.element_strides[d]);
    if (d == 0) continue;
    const std::uint64_t stride = r.strides[d - 1];
    if (stride % unit != 0 || stride >= 1ull << 40)
      return fmt::format(
          "The stride of dimension {} is {} bytes; it must be a multiple of {} and less than 2^40.", d,
          stride, unit);
    map.strides[d - 1] = stride;
  }
  const std::uint32_t inner = r.box[0] * element;
  if (r.interleave == 0 && inner % 16 != 0)
    return fmt::format("The box's innermost row has {} bytes; it must be a multiple of 16.", inner);
  if (r.interleave == 0 && r.swizzle != 0 && inner > span_of(map.swizzle))
    return fmt::format("The box's innermost row has {} bytes; this swizzle allows at most {}.", inner,
                       span_of(map.swizzle));
  if (r.interleave == kInterleave32 && map.swizzle != Swizzle::span_32)
    return "A tensor interleaved by 32 bytes needs the swizzle of 32 bytes.";
  if (map.fill_nan && !is_float(type)) return "Only tensors of a floating-point type can be filled with NaN.";
  std::memset(out, 0, kTensorMapBytes);
  std::memcpy(out, &map, sizeof map);
  return {};
}

bool decode(const void* bytes, TensorMap& out) noexcept {
  std::memcpy(&out, bytes, sizeof out);
  if (out.magic != kMagic || out.rank < 1 || out.rank > kMostDimensions || out.type >= TensorType::count ||
      out.swizzle > Swizzle::span_128)
    return false;
  // A program may have written over a part of it.
  for (std::uint32_t d = 0; d < out.rank; ++d)
    if (out.box[d] < 1 || out.box[d] > 256 || out.element_strides[d] < 1 || out.element_strides[d] > 8)
      return false;
  return out.interleave != 0 || out.box[0] * bytes_of(out.type) % 16 == 0;
}

std::string replace_address(void* map, std::uint64_t address) {
  TensorMap m;
  if (map == nullptr || !decode(map, m)) return "This is not a tensor map that cuTensorMapEncodeTiled made.";
  if (address == 0 || address % (m.interleave == kInterleave32 ? 32 : 16) != 0)
    return "The tensor's address must be aligned to 16 bytes (32 if interleaved by 32 bytes).";
  m.address = address;
  std::memcpy(map, &m, sizeof m);
  return {};
}

std::vector<BoxRow> rows_of(const TensorMap& map, const std::int32_t* start, std::uint32_t& row_bytes) {
  const std::uint32_t element = bytes_of(map.type);
  row_bytes = map.moved(0) * element;
  std::uint32_t count = 1;
  for (std::uint32_t d = 1; d < map.rank; ++d) count *= map.moved(d);
  std::vector<BoxRow> rows(count);
  // The part of dimension 0 inside the tensor is the same for every row.
  const std::int64_t first = start[0], size = std::int64_t{map.last[0]} + 1;
  const std::int64_t low = first < 0 ? -first : 0;
  const std::int64_t high = std::min<std::int64_t>(map.moved(0), size - first);
  const bool any = low < high;
  for (std::uint32_t n = 0; n < count; ++n) {
    BoxRow& row = rows[n];
    row.place = n * map.row_pitch();
    bool inside = any;
    std::uint64_t address = map.address;
    std::uint32_t rest = n;
    for (std::uint32_t d = 1; d < map.rank; ++d) {
      const std::uint32_t at = rest % map.moved(d);
      rest /= map.moved(d);
      const std::int64_t c = std::int64_t{start[d]} + std::int64_t{at} * map.element_strides[d];
      inside = inside && c >= 0 && c <= std::int64_t{map.last[d]};
      address += static_cast<std::uint64_t>(c) * map.strides[d - 1];
    }
    if (!inside) continue;
    row.from = static_cast<std::uint32_t>(low) * element;
    row.to = static_cast<std::uint32_t>(high) * element;
    row.address = address + static_cast<std::uint64_t>(first + low) * element;
  }
  return rows;
}

}  // namespace simgpu::async

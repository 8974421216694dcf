/// @file
/// What texture and surface objects refer to: images of texels in device memory, how they are sampled, and the
/// table that turns a handle in a register into one of them.
///
/// Texels lie row after row in an ordinary allocation. For counting traffic they are taken to lie in tiles of 64 bytes by 8 rows (`tiled`), as
/// envytools and Mesa describe earlier cards' block-linear layout: sectors of 16 bytes by 2 rows, lines of 32 bytes by 4 rows. An H100's rates for
/// texels at random agree with lines of that shape (timing/calibration.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "simgpu/memory/device_memory.hpp"

namespace simgpu::memory {

enum class ChannelKind : std::uint8_t { unsigned_, signed_, floating };

/// Format of a texel: equal channels side by side.
struct TexelFormat {
  std::uint8_t channel_bytes = 4;  ///< 1, 2, 4
  std::uint8_t channels = 1;       ///< 1, 2, 4
  ChannelKind kind = ChannelKind::floating;
  std::uint32_t bytes() const noexcept { return std::uint32_t{channel_bytes} * channels; }
  bool operator==(const TexelFormat&) const = default;
};

/// Texels of one mip level of an array, or of linear or pitched memory.
struct Image {
  const Allocation* allocation = nullptr;
  std::uint64_t base = 0;  ///< device address of the first texel
  TexelFormat format;
  std::uint8_t dimensions = 1;  ///< 1, 2, 3, layers not counted
  bool layered = false, cube = false;
  bool tiled = false;                              ///< an array: see the file's comment
  bool linear = false;                             ///< bound to linear memory: read by integer index only
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels; 1 where there is no such dimension
  std::uint32_t layers = 1;                        ///< of a layered array; cubes: 6 for each
  std::uint64_t pitch = 0, slice = 0;              ///< bytes between rows; between slices or layers

  /// Device address of texel (x, y) of slice or layer z; all in range.
  std::uint64_t address(std::uint32_t x, std::uint32_t y, std::uint32_t z) const noexcept {
    return base + z * slice + y * pitch + std::uint64_t{x} * format.bytes();
  }
  /// Where address() lies for counting: within the tile that holds it.
  std::uint64_t counted_address(std::uint64_t address) const noexcept;
  std::byte* at(std::uint64_t address) const noexcept {
    return allocation->host + (address - allocation->base);
  }
};

/// Tiles that arrays are counted in, and to which their rows and slices are padded.
inline constexpr std::uint32_t kTileBytes = 64, kTileRows = 8;

enum class AddressMode : std::uint8_t { wrap, clamp, mirror, border };

/// Of an address as Image::counted_address has it: the column of 16 bytes that it lies in. Neighbours in a row of tiles follow each other.
constexpr std::uint64_t counted_column(std::uint64_t address) noexcept {
  constexpr std::uint64_t kTile = std::uint64_t{kTileBytes} * kTileRows;  // arrays begin at multiples of it
  return address / kTile * 4 + address / 256 % 2 * 2 + address / 32 % 2;
}

/// How a texture object reads its image.
struct Sampler {
  std::array<AddressMode, 3> address{AddressMode::wrap, AddressMode::wrap, AddressMode::wrap};
  bool linear_filter = false;
  bool normalized_coordinates = false;
  bool normalized_float = false;  ///< 8- and 16-bit integers are read as [0, 1] or [-1, 1]
  bool srgb = false;
  bool seamless = false;  ///< cube maps: filters reach over the edges of a face
  std::array<float, 4> border{};
  bool linear_between_levels = false;
  float level_bias = 0, level_min = 0, level_max = 0;
};

/// A texture object: levels.size() > 1 only for mipmapped arrays.
struct Texture {
  std::vector<Image> levels;
  Sampler sampler;
};

/// All texture and surface objects of a process, by handle. Handles are never used twice.
class TextureTable {
 public:
  std::uint64_t add(Texture texture);
  std::uint64_t add_surface(Image image);
  /// @return false if there is no such object.
  bool remove_texture(std::uint64_t handle);
  bool remove_surface(std::uint64_t handle);
  /// @return nullptr if @p handle names none (any more).
  const Texture* texture(std::uint64_t handle) const noexcept;
  const Image* surface(std::uint64_t handle) const noexcept;
  /// Whether @p handle once named an object: for messages.
  bool was_known(std::uint64_t handle) const noexcept { return handle != 0 && handle < next_; }
  std::size_t texture_count() const noexcept { return textures_.size(); }
  std::size_t surface_count() const noexcept { return surfaces_.size(); }

 private:
  std::map<std::uint64_t, Texture> textures_;
  std::map<std::uint64_t, Image> surfaces_;
  std::uint64_t next_ = 1;
};

}  // namespace simgpu::memory

/// @file
/// See textures.hpp.
#include "simgpu/memory/textures.hpp"

namespace simgpu::memory {

std::uint64_t Image::counted_address(std::uint64_t address) const noexcept {
  if (!tiled || dimensions == 1) return address;
  const std::uint64_t offset = address - base;
  const std::uint64_t in_slice = offset % slice, row = in_slice / pitch, x = in_slice % pitch;
  const std::uint64_t tile = row / kTileRows * (pitch / kTileBytes) + x / kTileBytes;
  const std::uint64_t xt = x % kTileBytes, yt = row % kTileRows;
  const std::uint64_t within = xt / 32 * 256 + yt / 2 * 64 + xt / 16 % 2 * 32 + yt % 2 * 16 + xt % 16;
  return base + (offset - in_slice) + tile * (kTileBytes * kTileRows) + within;
}

std::uint64_t TextureTable::add(Texture texture) {
  textures_.emplace(next_, std::move(texture));
  return next_++;
}

std::uint64_t TextureTable::add_surface(Image image) {
  surfaces_.emplace(next_, image);
  return next_++;
}

bool TextureTable::remove_texture(std::uint64_t handle) {
  return textures_.erase(handle) != 0;
}

bool TextureTable::remove_surface(std::uint64_t handle) {
  return surfaces_.erase(handle) != 0;
}

const Texture* TextureTable::texture(std::uint64_t handle) const noexcept {
  const auto it = textures_.find(handle);
  return it == textures_.end() ? nullptr : &it->second;
}

const Image* TextureTable::surface(std::uint64_t handle) const noexcept {
  const auto it = surfaces_.find(handle);
  return it == surfaces_.end() ? nullptr : &it->second;
}

}  // namespace simgpu::memory

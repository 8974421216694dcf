/// @file
/// See copies.hpp.
#include "worker/copies.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

namespace course::worker {
namespace {

// Calls one(place in memory, place in the image's part, bytes, rows, row distance in memory) for each stretch that rows cut [offset,
// offset + bytes) into: whole rows come as one block.
template <class One>
std::string for_stretches(const allocation& what, std::size_t offset, std::size_t bytes, const One& one) {
  auto* const base = static_cast<char*>(what.pointer);
  if (!what.has_pitch()) return one(base + offset, std::size_t{0}, bytes, std::size_t{1}, bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t at = offset + done, row = at / what.row_bytes, column = at % what.row_bytes,
                      left = bytes - done;
    const bool whole = column == 0 && left >= what.row_bytes;
    const std::size_t rows = whole ? left / what.row_bytes : 1;
    const std::size_t width = whole ? what.row_bytes : std::min(left, what.row_bytes - column);
    if (auto error = one(base + row * what.pitch + column, done, width, rows, what.pitch); !error.empty())
      return error;
    done += rows * width;
  }
  return {};
}

}  // namespace

std::string copy_in(const allocation& to, std::size_t offset, const void* from, std::size_t bytes,
                    copy_is when) {
  if (bytes == 0) return {};
  const auto* const source = static_cast<const char*>(from);
  return for_stretches(
      to, offset, bytes,
      [&](char* at, std::size_t done, std::size_t width, std::size_t rows, std::size_t distance) {
        if (!to.on_host()) {
          if (rows == 1 && when == copy_is::queued)
            return error_text(cudaMemcpyAsync(at, source + done, width, cudaMemcpyHostToDevice, nullptr));
          return error_text(rows == 1 ? cudaMemcpy(at, source + done, width, cudaMemcpyHostToDevice)
                                      : cudaMemcpy2D(at, distance, source + done, width, width, rows,
                                                     cudaMemcpyHostToDevice));
        }
        for (std::size_t row = 0; row < rows; ++row)
          std::memcpy(at + row * distance, source + done + row * width, width);
        return std::string();
      });
}

std::string copy_out(void* to, const allocation& from, std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return {};
  auto* const target = static_cast<char*>(to);
  return for_stretches(
      from, offset, bytes,
      [&](const char* at, std::size_t done, std::size_t width, std::size_t rows, std::size_t distance) {
        if (!from.on_host()) {
          return error_text(rows == 1 ? cudaMemcpy(target + done, at, width, cudaMemcpyDeviceToHost)
                                      : cudaMemcpy2D(target + done, width, at, distance, width, rows,
                                                     cudaMemcpyDeviceToHost));
        }
        for (std::size_t row = 0; row < rows; ++row)
          std::memcpy(target + done + row * width, at + row * distance, width);
        return std::string();
      });
}

std::string copy_between(const allocation& to, const allocation& from) {
  if (from.bytes == 0) return {};
  const std::size_t rows = std::max<std::size_t>(1, std::max(to.rows, from.rows)), width = from.bytes / rows;
  const std::size_t to_distance = to.has_pitch() ? to.pitch : width,
                    from_distance = from.has_pitch() ? from.pitch : width;
  if (to.on_host() && from.on_host()) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<char*>(to.pointer) + row * to_distance,
                  static_cast<const char*>(from.pointer) + row * from_distance, width);
    }
    return {};
  }
  if (!to.has_pitch() && !from.has_pitch())
    return error_text(cudaMemcpy(to.pointer, from.pointer, from.bytes, cudaMemcpyDefault));
  return error_text(
      cudaMemcpy2D(to.pointer, to_distance, from.pointer, from_distance, width, rows, cudaMemcpyDefault));
}

}  // namespace course::worker

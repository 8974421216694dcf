/// @file
/// See memory.hpp.
#include "worker/memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace course::worker {
namespace {

using protocol::memory_kind;

// Host memory that the host itself may touch without asking the runtime.
bool on_host(memory_kind kind) {
  return kind != memory_kind::device && kind != memory_kind::managed;
}

std::string error_text(cudaError_t status) {
  return status == cudaSuccess ? std::string()
                               : std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
}

// Without a row there is no distance between rows: such a buffer is the few bytes that give it an address.
bool has_pitch(const allocation& what) {
  return what.pitch != 0 && what.rows != 0;
}

std::size_t bytes_in_memory(const allocation& what) {
  return has_pitch(what) ? what.pitch * what.rows : what.bytes;
}

// Calls one(place in memory, place in the image's part, bytes, rows, row distance in memory) for each stretch that rows cut [offset,
// offset + bytes) into: whole rows come as one block.
template <class One>
std::string for_stretches(const allocation& what, std::size_t offset, std::size_t bytes, const One& one) {
  auto* const base = static_cast<char*>(what.pointer);
  if (!has_pitch(what)) return one(base + offset, std::size_t{0}, bytes, std::size_t{1}, bytes);
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

std::string provide(allocation& place) {
  if (place.pointer) return {};
  cudaError_t status = cudaSuccess;
  const auto bytes = std::max<std::size_t>(bytes_in_memory(place), 1);  // of nothing there is no address
  if (place.device != 0) status = cudaSetDevice(place.device);
  if (status == cudaSuccess) {
    switch (place.kind) {
      case memory_kind::pageable:
        if (::posix_memalign(&place.pointer, 256, bytes) != 0) status = cudaErrorMemoryAllocation;
        break;
      case memory_kind::pinned:
        status = cudaHostAlloc(&place.pointer, bytes, cudaHostAllocDefault);
        break;
      case memory_kind::mapped:
        status = cudaHostAlloc(&place.pointer, bytes, cudaHostAllocMapped);
        break;
      case memory_kind::managed:
        status = cudaMallocManaged(&place.pointer, bytes, cudaMemAttachGlobal);
        break;
      case memory_kind::device:
        status = cudaMalloc(&place.pointer, bytes);
        break;
    }
  }
  if (place.device != 0) cudaSetDevice(0);
  place.ours = true;
  if (status != cudaSuccess) {
    place.pointer = nullptr;
    cudaGetLastError();
  }
  return error_text(status);
}

void release(allocation& place) {
  if (place.pointer && place.ours) {
    if (place.kind == memory_kind::pageable) {
      std::free(place.pointer);
    } else if (on_host(place.kind)) {
      cudaFreeHost(place.pointer);
    } else {
      cudaFree(place.pointer);
    }
    cudaGetLastError();
  }
  place.pointer = nullptr;
}

std::string copy_in(const allocation& to, std::size_t offset, const void* from, std::size_t bytes,
                    copy_is when) {
  if (bytes == 0) return {};
  const auto* const source = static_cast<const char*>(from);
  return for_stretches(
      to, offset, bytes,
      [&](char* at, std::size_t done, std::size_t width, std::size_t rows, std::size_t distance) {
        if (!on_host(to.kind)) {
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
        if (!on_host(from.kind)) {
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
  const std::size_t to_distance = has_pitch(to) ? to.pitch : width,
                    from_distance = has_pitch(from) ? from.pitch : width;
  if (on_host(to.kind) && on_host(from.kind)) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(static_cast<char*>(to.pointer) + row * to_distance,
                  static_cast<const char*>(from.pointer) + row * from_distance, width);
    }
    return {};
  }
  if (!has_pitch(to) && !has_pitch(from))
    return error_text(cudaMemcpy(to.pointer, from.pointer, from.bytes, cudaMemcpyDefault));
  return error_text(
      cudaMemcpy2D(to.pointer, to_distance, from.pointer, from_distance, width, rows, cudaMemcpyDefault));
}

void bring_home(const allocation& what) {
  if (!what.pointer || what.kind != memory_kind::managed || what.bytes == 0) return;
#if CUDART_VERSION >= 13000
  cudaMemPrefetchAsync(what.pointer, what.bytes, {cudaMemLocationTypeHost, 0}, 0, nullptr);
#else
  cudaMemPrefetchAsync(what.pointer, what.bytes, cudaCpuDeviceId, nullptr);
#endif
  cudaGetLastError();  // a device that cannot do it need not
}

void write_at_home(const allocation& what) {
  if (!what.pointer || what.kind != memory_kind::managed) return;
  constexpr std::size_t kPage = 4096;  // bytes: the smallest that a host has
  auto* const bytes = static_cast<volatile char*>(what.pointer);
  for (std::size_t at = 0; at < what.bytes; at += kPage) bytes[at] = bytes[at];
}

}  // namespace course::worker

/// @file
/// See memory.hpp.
#include "worker/memory.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdlib>

namespace course::worker {
namespace {

using protocol::memory_kind;

std::size_t bytes_in_memory(const allocation& what) {
  return what.has_pitch() ? what.pitch * what.rows : what.bytes;
}

}  // namespace

std::string error_text(cudaError_t status) {
  return status == cudaSuccess ? std::string()
                               : std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
}

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
    } else if (place.on_host()) {
      cudaFreeHost(place.pointer);
    } else {
      cudaFree(place.pointer);
    }
    cudaGetLastError();
  }
  place.pointer = nullptr;
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

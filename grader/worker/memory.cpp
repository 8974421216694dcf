/// @file
/// See memory.hpp.
#include "worker/memory.hpp"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>

namespace course::worker {
namespace {

using protocol::memory_kind;

bool on_host(memory_kind kind) {
  return kind != memory_kind::device && kind != memory_kind::managed;
}

std::string error_text(cudaError_t status) {
  return status == cudaSuccess ? std::string()
                               : std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status);
}

void release(allocation& what) {
  if (!what.pointer) return;
  switch (what.kind) {
    case memory_kind::pageable:
      std::free(what.pointer);
      break;
    case memory_kind::pinned:
    case memory_kind::mapped:
      cudaFreeHost(what.pointer);
      break;
    case memory_kind::device:
    case memory_kind::managed:
      cudaFree(what.pointer);
      break;
  }
  what.pointer = nullptr;
}

}  // namespace

std::string allocations::provide(std::size_t index, memory_kind kind, std::size_t bytes) {
  if (index >= all_.size()) all_.resize(index + 1);
  auto& place = all_[index];
  if (place.pointer && place.kind == kind && place.bytes == bytes) return {};
  release(place);
  place = {kind, bytes, nullptr};
  cudaError_t status = cudaSuccess;
  switch (kind) {
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
  if (status != cudaSuccess) place.pointer = nullptr;
  return error_text(status);
}

void allocations::release_from(std::size_t first) {
  for (std::size_t index = first; index < all_.size(); ++index) release(all_[index]);
  if (first < all_.size()) all_.resize(first);
}

std::string copy_in(const allocation& to, std::size_t offset, const void* from, std::size_t bytes) {
  if (bytes == 0) return {};
  auto* const place = static_cast<char*>(to.pointer) + offset;
  if (on_host(to.kind)) {
    std::memcpy(place, from, bytes);
    return {};
  }
  return error_text(cudaMemcpy(place, from, bytes, cudaMemcpyHostToDevice));
}

std::string copy_out(void* to, const allocation& from, std::size_t offset, std::size_t bytes) {
  if (bytes == 0) return {};
  const auto* const place = static_cast<const char*>(from.pointer) + offset;
  if (on_host(from.kind)) {
    std::memcpy(to, place, bytes);
    return {};
  }
  return error_text(cudaMemcpy(to, place, bytes, cudaMemcpyDeviceToHost));
}

std::string copy_between(const allocation& to, const allocation& from) {
  if (on_host(to.kind)) {
    std::memcpy(to.pointer, from.pointer, from.bytes);
    return {};
  }
  return error_text(cudaMemcpy(to.pointer, from.pointer, from.bytes, cudaMemcpyDeviceToDevice));
}

}  // namespace course::worker

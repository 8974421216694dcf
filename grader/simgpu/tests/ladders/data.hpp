/// @file
/// What the kernels of several ladders begin with: where a thread stands, and words that look random and that the host knows as well.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace ladder {

__device__ __forceinline__ std::size_t global_index() {
  return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
}
/// Threads of the grid.
__device__ __forceinline__ std::size_t stride() {
  return gridDim.x * std::size_t{blockDim.x};
}

__host__ __device__ __forceinline__ unsigned scrambled(unsigned h) {
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ h >> 15;
}
__host__ __device__ __forceinline__ unsigned word_of(std::size_t i) {
  return scrambled(static_cast<unsigned>(i));
}
__host__ __device__ __forceinline__ float half_of(std::size_t i) {
  return static_cast<float>(word_of(i) & 255) * (1.0f / 256);
}
/// Where a scrambled word points among @p n: any n, so that tables shrink exactly with the slice.
__host__ __device__ __forceinline__ unsigned place_of(unsigned word, unsigned n) {
  return static_cast<unsigned>(static_cast<unsigned long long>(word) * n >> 32);
}

}  // namespace ladder

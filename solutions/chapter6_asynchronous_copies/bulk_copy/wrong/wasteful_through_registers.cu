// expect: wasteful
/// @file
/// bulk_copy: a copy whose bytes no thread touches. The one file of this exercise that is edited and handed in;
/// the contract is in bulk_copy.cuh, the task in README.md.
#include "bulk_copy.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Copies one float4 a thread: right and fast, and no byte goes by bulk copy.
/// Launch contract: one-dimensional grid of at least n / 4 threads, rounded up.
__global__ void bulk_copy_kernel(float* dst, const float* src, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (4 * i + 4 <= n) {
    reinterpret_cast<float4*>(dst)[i] = reinterpret_cast<const float4*>(src)[i];
  } else {
    for (std::size_t k = 4 * i; k < n; ++k) dst[k] = src[k];
  }
}

extern "C" void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t floats_a_block = 4 * std::size_t{block_threads};
  const std::size_t blocks = (n + floats_a_block - 1) / floats_a_block;
  bulk_copy_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(dst, src, n);
}
// <<< your code

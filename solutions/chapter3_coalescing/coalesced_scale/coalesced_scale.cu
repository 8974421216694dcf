/// @file
/// coalesced_scale: an array, times a factor. The one file of this exercise that is edited and handed in; the contract
/// is in coalesced_scale.cuh, the task in README.md.
#include "coalesced_scale.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr std::size_t elements_a_thread = 4;  // neighbours: 16 bytes

/// Writes out[i] = factor * in[i] for four neighbours a thread, 16 bytes at a time.
/// Launch contract: one-dimensional grid of at least n / 4 threads, rounded up, blocks of block_threads threads; both
/// arrays are aligned to 16 bytes. Reads 4 n bytes, writes 4 n.
__global__ void __launch_bounds__(block_threads)
    coalesced_scale_kernel(const float* __restrict__ in, float* __restrict__ out, std::size_t n,
                           float factor) {
  const std::size_t first = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) * elements_a_thread;
  if (first + elements_a_thread <= n) {
    const float4 v = *reinterpret_cast<const float4*>(in + first);
    *reinterpret_cast<float4*>(out + first) =
        make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
  } else {  // the last thread with work, when 4 does not divide n: at most three elements
    for (std::size_t i = first; i < n; ++i) out[i] = factor * in[i];
  }
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t elements_a_block = block_threads * elements_a_thread;
  const std::size_t blocks = (n + elements_a_block - 1) / elements_a_block;
  coalesced_scale_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n, factor);
}
// <<< your code

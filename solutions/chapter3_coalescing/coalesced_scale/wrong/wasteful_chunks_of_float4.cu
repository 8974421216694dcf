// expect: too_slow|wasteful uncoalesced
/// @file
/// coalesced_scale: an array, times a factor. The one file of this exercise that is edited and handed in; the contract
/// is in coalesced_scale.cuh, the task in README.md.
#include "coalesced_scale.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr std::size_t chunk = 32;  // elements of a thread

/// Right: each thread walks a chunk of its own, 16 bytes at a time, so a request asks for half of what its sectors hold.
/// Launch contract: one-dimensional grid of at least n / chunk threads, rounded up.
__global__ void coalesced_scale_kernel(const float* in, float* out, std::size_t n, float factor) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * chunk;
  if (first + chunk <= n) {
#pragma unroll
    for (std::size_t k = 0; k < chunk; k += 4) {
      const float4 v = *reinterpret_cast<const float4*>(in + first + k);
      *reinterpret_cast<float4*>(out + first + k) =
          make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
    }
  } else {
    for (std::size_t i = first; i < n; ++i) out[i] = factor * in[i];
  }
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t threads = (n + chunk - 1) / chunk;
  const std::size_t blocks = (threads + block_threads - 1) / block_threads;
  coalesced_scale_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n, factor);
}
// <<< your code

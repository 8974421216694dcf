// expect: too_slow|wasteful uncoalesced
/// @file
/// coalesced_scale: an array, times a factor. The one file of this exercise that is edited and handed in; the contract
/// is in coalesced_scale.cuh, the task in README.md.
#include "coalesced_scale.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr std::size_t elements_a_thread = 8;

/// Right and fast: two neighbouring float4 a thread, so the lanes of each request lie 32 bytes apart. L1 holds the other
/// halves until they are wanted.
/// Launch contract: one-dimensional grid of at least n / 8 threads, rounded up.
__global__ void coalesced_scale_kernel(const float* __restrict__ in, float* __restrict__ out, std::size_t n,
                                       float factor) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * elements_a_thread;
  if (first + elements_a_thread <= n) {
    const float4 v = *reinterpret_cast<const float4*>(in + first);
    const float4 w = *reinterpret_cast<const float4*>(in + first + 4);
    *reinterpret_cast<float4*>(out + first) =
        make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
    *reinterpret_cast<float4*>(out + first + 4) =
        make_float4(factor * w.x, factor * w.y, factor * w.z, factor * w.w);
  } else {
    for (std::size_t i = first; i < n; ++i) out[i] = factor * in[i];
  }
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t threads = (n + elements_a_thread - 1) / elements_a_thread;
  const std::size_t blocks = (threads + block_threads - 1) / block_threads;
  coalesced_scale_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n, factor);
}
// <<< your code

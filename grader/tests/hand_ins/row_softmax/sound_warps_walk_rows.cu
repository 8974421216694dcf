// expect: pass|too_slow
/// @file
/// As many warps as the card holds, each of which walks over rows; the exponentials are made in base 2, and the
/// first walk through the registers keeps the largest value and the sum together. Sound, and too few warps for an H200: 0.66.
#include "row_softmax.cuh"

constexpr unsigned int block_threads = 256;
constexpr float log2_e = 1.4426950408889634f;

__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, std::size_t rows,
                        unsigned int cols) {
  const unsigned int lane = threadIdx.x % 32;
  const std::size_t warps = std::size_t{gridDim.x} * (block_threads / 32);
  for (std::size_t row = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) / 32; row < rows;
       row += warps) {
    float value[32];
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const unsigned int c = lane + 32 * k;
      value[k] = c < cols ? __ldcs(in + row * cols + c) : -INFINITY;
    }
    float largest = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 32; ++k) largest = fmaxf(largest, value[k]);
    const float own = largest;
#pragma unroll
    for (int k = 0; k < 32; ++k)
      if (lane + 32 * k < cols) sum += exp2f((value[k] - own) * log2_e);
    for (int d = 1; d < 32; d *= 2) {
      const float others_largest = __shfl_xor_sync(0xffffffffu, largest, d);
      const float others_sum = __shfl_xor_sync(0xffffffffu, sum, d);
      const float both = fmaxf(largest, others_largest);
      if (both > -INFINITY)
        sum = sum * exp2f((largest - both) * log2_e) + others_sum * exp2f((others_largest - both) * log2_e);
      largest = both;
    }
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      const unsigned int c = lane + 32 * k;
      if (c < cols) __stcs(out + row * cols + c, exp2f((value[k] - largest) * log2_e) / sum);
    }
  }
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  softmax<<<4 * multiprocessors, block_threads, 0, stream>>>(in, out, rows, static_cast<unsigned int>(cols));
}

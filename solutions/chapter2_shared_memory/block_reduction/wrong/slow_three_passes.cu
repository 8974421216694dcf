// expect: too_slow
/// @file
/// block_reduction: the sum of many floats. The one file of this exercise that is edited and handed in; the
/// contract is in block_reduction.cuh, the task in README.md.
#include "block_reduction.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;  // a power of two
constexpr std::size_t most_blocks = std::size_t{1} << 21;

// Sums of the blocks of one pass, which the next pass reads; two of them, so that no pass writes what it
// reads.
__device__ float block_sums[2][most_blocks];

/// Writes the sum of each block's 256 elements. Right, but a whole block, its tree and its barriers for 1 KB
/// of input.
__global__ void block_sums_kernel(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[block_threads];
  const unsigned int t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned int half = block_threads / 2; half > 0; half /= 2) {
    if (t < half) tile[t] += tile[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  void* sums = nullptr;
  cudaGetSymbolAddress(&sums, block_sums);
  float* scratch[2] = {static_cast<float*>(sums), static_cast<float*>(sums) + most_blocks};
  for (int pass = 0;; ++pass) {
    std::size_t blocks = (n + block_threads - 1) / block_threads;
    if (blocks == 0) blocks = 1;
    float* target = blocks == 1 ? out : scratch[pass % 2];
    block_sums_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, target, n);
    if (blocks == 1) return;
    in = target;
    n = blocks;
  }
}
// <<< your code

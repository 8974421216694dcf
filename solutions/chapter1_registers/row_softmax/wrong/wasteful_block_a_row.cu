// expect: wasteful off_the_idea
/// @file
/// row_softmax: the softmax of each row of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in row_softmax.cuh, the task in README.md.
#include "row_softmax.cuh"

// >>> your code
constexpr unsigned int block_threads = 128;
constexpr int warps = block_threads / 32;
constexpr int values_a_thread = row_softmax_most_columns / block_threads;
constexpr unsigned int all_lanes = 0xffffffffu;

/// The largest of the 32 lanes' values, in every lane. All lanes must call it.
__device__ float warp_max(float mine) {
  for (int d = 16; d > 0; d /= 2) mine = fmaxf(mine, __shfl_xor_sync(all_lanes, mine, d));
  return mine;
}

/// The sum of the 32 lanes' values, in every lane. All lanes must call it.
__device__ float warp_sum(float mine) {
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(all_lanes, mine, d);
  return mine;
}

/// Right, fast, and not this exercise: a block holds the row, eight values a thread, and its warps combine what
/// they found through shared memory. For wider rows that is the way.
/// Launch contract: one-dimensional grid of at least rows blocks of block_threads threads.
__global__ void row_softmax_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  alignas(16) __shared__ float found[2][warps];
  const std::size_t row = blockIdx.x;
  const unsigned int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float value[values_a_thread];
  float largest = -INFINITY;
#pragma unroll
  for (int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = threadIdx.x + block_threads * k;
    value[k] = c < cols ? in[row * cols + c] : -INFINITY;
  }
#pragma unroll
  for (int k = 0; k < values_a_thread; ++k) largest = fmaxf(largest, value[k]);
  largest = warp_max(largest);
  if (lane == 0) found[0][warp] = largest;
  __syncthreads();
#pragma unroll
  for (int k = 0; k < warps; ++k) largest = fmaxf(largest, found[0][k]);

  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < values_a_thread; ++k) {
    value[k] = expf(value[k] - largest);
    sum += value[k];
  }
  sum = warp_sum(sum);
  if (lane == 0) found[1][warp] = sum;
  __syncthreads();
  sum = 0.0f;
#pragma unroll
  for (int k = 0; k < warps; ++k) sum += found[1][k];
  const float scale = 1.0f / sum;
#pragma unroll
  for (int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = threadIdx.x + block_threads * k;
    if (c < cols) out[row * cols + c] = value[k] * scale;
  }
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  row_softmax_kernel<<<static_cast<unsigned int>(rows), block_threads, 0, stream>>>(in, out, rows, cols);
}
// <<< your code

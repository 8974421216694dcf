// expect: too_slow|wasteful
/// @file
/// The row is kept in shared memory, and no load or store goes there: atomics bring it and fetch it. Right, and they count as bytes through
/// shared memory, too.
#include "row_softmax.cuh"

// >>> your code
constexpr unsigned int warps_a_block = 8;
constexpr unsigned int all_lanes = 0xffffffffu;
constexpr int values_a_lane = row_softmax_most_columns / 32;

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

__device__ void put_atomic(int* p, float v) {
  atomicExch(p, __float_as_int(v));
}
__device__ float get_atomic(int* p) {
  return __int_as_float(atomicOr(p, 0));
}

/// One warp a row. Launch contract: one-dimensional grid of at least rows / warps_a_block blocks, rounded up, of 32 warps_a_block threads.
__global__ void row_softmax_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const unsigned int lane = threadIdx.x % 32;
  const std::size_t row = std::size_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp leaves, or none of it

  alignas(16) __shared__ int kept_all[warps_a_block][row_softmax_most_columns];
  int* const kept = kept_all[threadIdx.x / 32];
  const float* const from = in + row * cols;
  // Made known by copies of no bytes, so that nothing is read that nobody wrote.
  for (unsigned int c = 4 * lane; c < row_softmax_most_columns; c += 128)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16, 0;" ::"r"(
                     static_cast<unsigned int>(__cvta_generic_to_shared(kept + c))),
                 "l"(in)
                 : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  float largest = -INFINITY;
  for (unsigned int c = lane; c < cols; c += 32) {
    const float v = from[c];
    put_atomic(kept + c, v);
    largest = fmaxf(largest, v);
  }
  largest = warp_max(largest);
  float sum = 0.0f;
  for (unsigned int c = lane; c < cols; c += 32) sum += expf(get_atomic(kept + c) - largest);
  const float scale = 1.0f / warp_sum(sum);
  for (unsigned int c = lane; c < cols; c += 32)
    out[row * cols + c] = expf(get_atomic(kept + c) - largest) * scale;
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t blocks = (rows + warps_a_block - 1) / warps_a_block;
  row_softmax_kernel<<<static_cast<unsigned int>(blocks), 32 * warps_a_block, 0, stream>>>(in, out, rows,
                                                                                           cols);
}
// <<< your code

// expect: out_of_bounds misaligned
/// @file
/// row_softmax: the softmax of each row of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in row_softmax.cuh, the task in README.md.
#include "row_softmax.cuh"

// >>> your code
constexpr unsigned int warps_a_block = 8;
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

/// Wrong: rows of 33 floats do not begin at multiples of 16 bytes. Right at 1000 and at 1024 columns.
/// Launch contract: one-dimensional grid of at least rows / warps_a_block blocks, rounded up, of
/// 32 warps_a_block threads.
__global__ void row_softmax_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const unsigned int lane = threadIdx.x % 32;
  const std::size_t row = std::size_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp leaves, or none of it

  const float* const from = in + row * cols;
  float4 value[8];
  float largest = -INFINITY;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned int c = 4 * lane + 128 * k;
    value[k] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    if (c + 3 < cols) {
      value[k] = *reinterpret_cast<const float4*>(from + c);
    } else {
      if (c < cols) value[k].x = from[c];
      if (c + 1 < cols) value[k].y = from[c + 1];
      if (c + 2 < cols) value[k].z = from[c + 2];
    }
    largest = fmaxf(largest, fmaxf(fmaxf(value[k].x, value[k].y), fmaxf(value[k].z, value[k].w)));
  }
  largest = warp_max(largest);
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    value[k] = {expf(value[k].x - largest), expf(value[k].y - largest), expf(value[k].z - largest),
                expf(value[k].w - largest)};
    sum += (value[k].x + value[k].y) + (value[k].z + value[k].w);
  }
  const float scale = 1.0f / warp_sum(sum);
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned int c = 4 * lane + 128 * k;
    if (c < cols) out[row * cols + c] = value[k].x * scale;
    if (c + 1 < cols) out[row * cols + c + 1] = value[k].y * scale;
    if (c + 2 < cols) out[row * cols + c + 2] = value[k].z * scale;
    if (c + 3 < cols) out[row * cols + c + 3] = value[k].w * scale;
  }
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const std::size_t blocks = (rows + warps_a_block - 1) / warps_a_block;
  row_softmax_kernel<<<static_cast<unsigned int>(blocks), 32 * warps_a_block, 0, stream>>>(in, out, rows,
                                                                                           cols);
}
// <<< your code

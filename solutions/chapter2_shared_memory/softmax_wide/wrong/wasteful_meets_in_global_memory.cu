// expect: wasteful|too_slow
/// @file
/// softmax_wide: softmax of rows that are too long for a warp. The one file of this exercise that is edited and handed
/// in; the contract is in softmax_wide.cuh, the task in README.md.
#include "softmax_wide.cuh"

// >>> your code
constexpr unsigned int values_a_thread = 32;  // 1024 threads hold the longest row
constexpr unsigned int values_a_warp = 32 * values_a_thread;
constexpr unsigned int most_warps = 32;
constexpr unsigned int all_lanes = 0xffffffffu;

/// Largest value of a warp, in all of its lanes.
__device__ float max_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
}

/// Sum over a warp, in all of its lanes.
__device__ float sum_of_warp(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

// Right: the warps meet in device memory. A row takes the places of its number; a card holds fewer rows at once than there are
// places.
__device__ float meeting_places[1u << 16][most_warps];

/// Largest value of the block, in all of its threads. @param of_warps a place for each warp
__device__ float max_of_block(float value, float* of_warps) {
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  value = max_of_warp(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();  // every warp has handed in its own
  value = max_of_warp(lane < blockDim.x / 32 ? of_warps[lane] : -INFINITY);
  __syncthreads();  // every warp has read: the places may be used again
  return value;
}

/// Sum over the block, in all of its threads. @param of_warps a place for each warp
__device__ float sum_of_block(float value, float* of_warps) {
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  value = sum_of_warp(value);
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  value = sum_of_warp(lane < blockDim.x / 32 ? of_warps[lane] : 0.0f);
  __syncthreads();
  return value;
}

/// Writes the softmax of row blockIdx.x.
/// Launch contract: one block a row; 32 <= blockDim.x <= 1024, a multiple of 32; blockDim.x * values_a_thread >= cols.
__global__ void __launch_bounds__(32 * most_warps)
    softmax_wide_kernel(const float* in, float* out, unsigned int cols) {
  float* const of_warps = meeting_places[blockIdx.x % (1u << 16)];
  const float* const from = in + std::size_t{blockIdx.x} * cols;
  float* const to = out + std::size_t{blockIdx.x} * cols;

  // The warp's piece of the row: values_a_warp columns side by side, of which the lane has every 32nd. All of them stay
  // in registers: every index into the share is a constant once the loops are unrolled.
  const unsigned int first = threadIdx.x / 32 * values_a_warp + threadIdx.x % 32;
  float share[values_a_thread];
  float largest = -INFINITY;
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = first + 32 * k;
    share[k] = c < cols ? from[c] : -INFINITY;
  }
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) largest = fmaxf(largest, share[k]);
  largest = max_of_block(largest, of_warps);

  float sum = 0.0f;
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    share[k] = expf(share[k] - largest);  // 0 where the row has no value
    sum += share[k];
  }
  const float scale = 1.0f / sum_of_block(sum, of_warps);

#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = first + 32 * k;
    if (c < cols) to[c] = share[k] * scale;
  }
}

extern "C" void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0) return;
  const std::size_t warps = (cols + values_a_warp - 1) / values_a_warp;
  const auto threads = static_cast<unsigned int>(32 * warps);
  softmax_wide_kernel<<<static_cast<unsigned int>(rows), threads, 0, stream>>>(
      in, out, static_cast<unsigned int>(cols));
}
// <<< your code

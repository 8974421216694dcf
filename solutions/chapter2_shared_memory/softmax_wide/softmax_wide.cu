/// @file
/// softmax_wide: softmax of rows that are too long for a warp. The one file of this exercise that is edited and handed
/// in; the contract is in softmax_wide.cuh, the task in README.md.
#include "softmax_wide.cuh"

// >>> your code
constexpr unsigned int values_a_thread = 32;  // 1024 threads hold the longest row
constexpr unsigned int vectors_a_thread = values_a_thread / 4;
constexpr unsigned int values_a_warp = 32 * values_a_thread;  // side by side in the row
constexpr unsigned int most_warps = 32;
constexpr unsigned int all_lanes = 0xffffffffu;

/// Largest value of a warp, in all of its lanes.
__device__ float max_of_warp(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
}

/// Sum over a warp, in all of its lanes.
__device__ float sum_of_warp(float value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(all_lanes, value, distance);
  return value;
}

/// From values to exponentials, in place. @return the factor that makes them the row's softmax
/// Each warp takes its *own* maximum off, so it can add up before it has heard of the others. What it tells them is
/// the maximum and the sum; with the others' it knows by how much its exponentials are too large. One barrier a row.
__device__ float exponentials(float (&share)[values_a_thread]) {
  alignas(16) __shared__ float2 of_warps[most_warps];  // maximum and sum of a warp
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  float own = share[0];
#pragma unroll
  for (unsigned int k = 1; k < values_a_thread; ++k) own = fmaxf(own, share[k]);
  own = fmaxf(max_of_warp(own), -3.0e38f);  // a warp past the row's end has -infinity everywhere
  float sum = 0.0f;
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    share[k] = __expf(share[k] - own);  // 0 where the row has no value
    sum += share[k];
  }
  sum = sum_of_warp(sum);

  if (lane == 0) of_warps[warp] = {own, sum};
  __syncthreads();  // every warp has handed in its own
  const float2 other = lane < blockDim.x / 32 ? of_warps[lane] : float2{-INFINITY, 0.0f};
  const float largest = max_of_warp(other.x);
  const float total = sum_of_warp(other.y * __expf(other.x - largest));
  return __expf(own - largest) / total;
}

/// Writes the softmax of row blockIdx.x, four values a load and a store.
/// Launch contract: one block a row; 32 <= blockDim.x <= 1024, a multiple of 32; blockDim.x * values_a_thread >= cols;
/// 4 divides cols. Registers: 32 for the row and what else there is, at most 64.
__global__ void __launch_bounds__(32 * most_warps)
    softmax_of_vectors(const float4* __restrict__ in, float4* __restrict__ out, unsigned int vectors) {
  const float4* const from = in + std::size_t{blockIdx.x} * vectors;
  float4* const to = out + std::size_t{blockIdx.x} * vectors;
  const unsigned int first = threadIdx.x / 32 * (values_a_warp / 4) + threadIdx.x % 32;
  float share[values_a_thread];
#pragma unroll
  for (unsigned int k = 0; k < vectors_a_thread; ++k) {
    const unsigned int v = first + 32 * k;
    const float4 four = v < vectors ? from[v] : float4{-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    share[4 * k] = four.x, share[4 * k + 1] = four.y, share[4 * k + 2] = four.z, share[4 * k + 3] = four.w;
  }
  const float scale = exponentials(share);
#pragma unroll
  for (unsigned int k = 0; k < vectors_a_thread; ++k) {
    const unsigned int v = first + 32 * k;
    if (v < vectors)
      to[v] = {scale * share[4 * k], scale * share[4 * k + 1], scale * share[4 * k + 2],
               scale * share[4 * k + 3]};
  }
}

/// The same for any cols, one value a load.
__global__ void __launch_bounds__(32 * most_warps)
    softmax_of_floats(const float* __restrict__ in, float* __restrict__ out, unsigned int cols) {
  const float* const from = in + std::size_t{blockIdx.x} * cols;
  float* const to = out + std::size_t{blockIdx.x} * cols;
  const unsigned int first = threadIdx.x / 32 * values_a_warp + threadIdx.x % 32;
  float share[values_a_thread];
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = first + 32 * k;
    share[k] = c < cols ? from[c] : -INFINITY;
  }
  const float scale = exponentials(share);
#pragma unroll
  for (unsigned int k = 0; k < values_a_thread; ++k) {
    const unsigned int c = first + 32 * k;
    if (c < cols) to[c] = scale * share[k];
  }
}

extern "C" void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0) return;
  const auto threads = static_cast<unsigned int>(32 * ((cols + values_a_warp - 1) / values_a_warp));
  const auto blocks = static_cast<unsigned int>(rows);
  if (cols % 4 == 0) {
    softmax_of_vectors<<<blocks, threads, 0, stream>>>(reinterpret_cast<const float4*>(in),
                                                       reinterpret_cast<float4*>(out),
                                                       static_cast<unsigned int>(cols / 4));
  } else {
    softmax_of_floats<<<blocks, threads, 0, stream>>>(in, out, static_cast<unsigned int>(cols));
  }
}
// <<< your code

/// @file
/// row_softmax: the softmax of each row of a matrix. The one file of this exercise that is edited and handed in;
/// the contract is in row_softmax.cuh, the task in README.md.
#include "row_softmax.cuh"

// >>> your code
constexpr unsigned int warps_a_block = 4;
constexpr unsigned int all_lanes = 0xffffffffu;

// A lane holds its share of the row in parts, each of which it loads and stores by one instruction: a float4
// where rows begin at multiples of 16 bytes, else a float. What follows is the same for both.
__device__ void set_all(float& part, float value) {
  part = value;
}
__device__ void set_all(float4& part, float value) {
  part = {value, value, value, value};
}
__device__ float max_of(float part) {
  return part;
}
__device__ float max_of(float4 part) {
  return fmaxf(fmaxf(part.x, part.y), fmaxf(part.z, part.w));
}
__device__ float sum_of(float part) {
  return part;
}
__device__ float sum_of(float4 part) {
  return (part.x + part.y) + (part.z + part.w);
}
__device__ float exp_of(float part, float largest) {
  return __expf(part - largest);
}
__device__ float4 exp_of(float4 part, float largest) {
  return {exp_of(part.x, largest), exp_of(part.y, largest), exp_of(part.z, largest), exp_of(part.w, largest)};
}
__device__ float times(float part, float scale) {
  return part * scale;
}
__device__ float4 times(float4 part, float scale) {
  return {part.x * scale, part.y * scale, part.z * scale, part.w * scale};
}

/// One warp a row, held in `held` parts a lane: all loads are on their way before the first is used.
/// Launch contract: one-dimensional grid of at least rows / warps_a_block blocks, rounded up, of
/// 32 warps_a_block threads; at most 32 held parts in a row; in and out aligned to a part, and so is each row.
template <class Part, int held>
__global__ void __launch_bounds__(32 * warps_a_block)
    row_softmax_kernel(const Part* __restrict__ in, Part* __restrict__ out, std::size_t rows,
                       unsigned int parts_a_row) {
  const unsigned int lane = threadIdx.x % 32;
  const std::size_t row = std::size_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp leaves, or none of it

  Part mine[held];
  const Part* const from = in + row * parts_a_row + lane;
#pragma unroll
  for (int k = 0; k < held; ++k) {
    set_all(mine[k], -INFINITY);
    if (lane + 32 * k < parts_a_row) mine[k] = from[32 * k];
  }
  float largest = max_of(mine[0]);
#pragma unroll
  for (int k = 1; k < held; ++k) largest = fmaxf(largest, max_of(mine[k]));
#pragma unroll
  for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(all_lanes, largest, d));

  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < held; ++k) {
    mine[k] = exp_of(mine[k], largest);
    sum += sum_of(mine[k]);
  }
#pragma unroll
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(all_lanes, sum, d);

  const float scale = 1.0f / sum;
  Part* const to = out + row * parts_a_row + lane;
#pragma unroll
  for (int k = 0; k < held; ++k)
    if (lane + 32 * k < parts_a_row) to[32 * k] = times(mine[k], scale);
}

/// Queues the kernel with as few parts a lane as hold the row: 1, 2, 4, ... up to `most`.
template <class Part, int most, int held = 1>
void launch(const float* in, float* out, std::size_t rows, std::size_t parts_a_row, cudaStream_t stream) {
  if constexpr (held < most) {
    if (parts_a_row > 32 * held) return launch<Part, most, 2 * held>(in, out, rows, parts_a_row, stream);
  }
  const auto blocks = static_cast<unsigned int>((rows + warps_a_block - 1) / warps_a_block);
  row_softmax_kernel<Part, held><<<blocks, 32 * warps_a_block, 0, stream>>>(
      reinterpret_cast<const Part*>(in), reinterpret_cast<Part*>(out), rows,
      static_cast<unsigned int>(parts_a_row));
}

extern "C" void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  constexpr int most = row_softmax_most_columns / 32;
  if (cols % 4 == 0)
    launch<float4, most / 4>(in, out, rows, cols / 4, stream);
  else
    launch<float, most>(in, out, rows, cols, stream);
}
// <<< your code

// expect: too_slow
/// @file
/// As many blocks as a few waves hold; each walks down the whole matrix in large strides.
#include "column_sums.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned int lanes = 32, warps = 8;

/// A warp for 32 columns of every eighth row of a part; the eight warps meet in shared memory.
__global__ void __launch_bounds__(lanes* warps)
    add_strips(const float* __restrict__ in, float* __restrict__ out, std::size_t rows, std::size_t cols) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<lanes>(block);
  alignas(16) __shared__ float parts[warps][lanes];
  const std::size_t column = std::size_t{blockIdx.x} * lanes + warp.thread_rank();
  float sum = 0.0f;
  if (column < cols) {
    const std::size_t stride = std::size_t{gridDim.y} * warps;
#pragma unroll 8
    for (std::size_t row = std::size_t{blockIdx.y} * warps + warp.meta_group_rank(); row < rows;
         row += stride)
      sum += in[row * cols + column];
  }
  parts[warp.meta_group_rank()][warp.thread_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() != 0 || column >= cols) return;
  for (unsigned int w = 1; w < warps; ++w) sum += parts[w][warp.thread_rank()];
  atomicAdd(&out[column], sum);
}

extern "C" void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                cudaStream_t stream) {
  if (cols == 0) return;
  cudaMemsetAsync(out, 0, cols * sizeof(float), stream);
  if (rows == 0) return;
  const std::size_t across = (cols + lanes - 1) / lanes, wanted = (rows + 8 * warps - 1) / (8 * warps);
  int multiprocessors = 0;
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const std::size_t most = (32 * static_cast<std::size_t>(multiprocessors) + across - 1) / across;
  const dim3 grid(static_cast<unsigned int>(across),
                  static_cast<unsigned int>(wanted < most ? wanted : most));
  add_strips<<<grid, lanes * warps, 0, stream>>>(in, out, rows, cols);
}

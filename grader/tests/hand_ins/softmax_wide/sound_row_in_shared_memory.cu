// expect: pass|too_slow
/// @file
/// The row is kept in dynamic shared memory, up to 128 KB of it, and the block is brought together by cooperative groups
/// and atomics of shared memory. Loaded once; how fast depends on how many such blocks an SM holds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "softmax_wide.cuh"

namespace cg = cooperative_groups;

__global__ void softmax_row(const float* in, float* out, unsigned int cols) {
  extern __shared__ float row[];
  __shared__ float maxima[32], sums[32];
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const float* const from = in + std::size_t{blockIdx.x} * cols;
  float* const to = out + std::size_t{blockIdx.x} * cols;
  float own = -INFINITY, sum = 0;
#pragma unroll 8
  for (unsigned int c = block.thread_rank(); c < cols; c += block.size()) row[c] = from[c];
  for (unsigned int c = block.thread_rank(); c < cols; c += block.size()) own = fmaxf(own, row[c]);
  own = cg::reduce(warp, own, cg::greater<float>());
  if (warp.thread_rank() == 0) maxima[warp.meta_group_rank()] = own;
  block.sync();
  for (unsigned int w = 0; w < warp.meta_group_size(); ++w) own = fmaxf(own, maxima[w]);
  for (unsigned int c = block.thread_rank(); c < cols; c += block.size())
    sum += row[c] = __expf(row[c] - own);
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  sum = 0;
  for (unsigned int w = 0; w < warp.meta_group_size(); ++w) sum += sums[w];
  for (unsigned int c = block.thread_rank(); c < cols; c += block.size()) to[c] = row[c] / sum;
}

extern "C" void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0) return;
  const std::size_t bytes = cols * sizeof(float);
  cudaFuncSetAttribute(softmax_row, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  const unsigned int threads = cols > 16384 ? 1024 : 256;
  softmax_row<<<static_cast<unsigned int>(rows), threads, bytes, stream>>>(in, out,
                                                                           static_cast<unsigned int>(cols));
}

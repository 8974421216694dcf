// expect: pass
/// @file
/// Cooperative groups instead of indices and barriers.
#include "block_reduction.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr unsigned int block_threads = 256;

__global__ void add_up(const float* in, float* out, std::size_t n) {
  const auto grid = cg::this_grid();
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  float sum = 0.0f;
  for (std::size_t i = grid.thread_rank(); i < n; i += grid.num_threads()) sum += in[i];

  __shared__ float sums[block_threads / 32];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    sum = warp.thread_rank() < warp.meta_group_size() ? sums[warp.thread_rank()] : 0.0f;
    sum = cg::reduce(warp, sum, cg::plus<float>());
    if (warp.thread_rank() == 0) atomicAdd(out, sum);
  }
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::size_t wanted = n / block_threads + 1;
  add_up<<<static_cast<unsigned int>(wanted < 1056 ? wanted : 1056), block_threads, 0, stream>>>(in, out, n);
}

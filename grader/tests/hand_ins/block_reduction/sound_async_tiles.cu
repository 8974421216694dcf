// expect: pass
/// @file
/// Fetches its input through shared memory with cuda::memcpy_async, four tiles ahead, and adds up from there.
#include "block_reduction.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

constexpr unsigned int block_threads = 256, tile_floats = 4 * block_threads;
constexpr int stages = 4;

__global__ void add_up(const float* in, float* out, std::size_t n) {
  __shared__ float4 tiles[stages][block_threads];
  auto arriving = cuda::make_pipeline();  // of this thread: it reads what it has fetched itself
  const std::size_t first = std::size_t{blockIdx.x} * tile_floats + 4 * threadIdx.x;
  const std::size_t stride = std::size_t{gridDim.x} * tile_floats;
  const auto fetch = [&](std::size_t at, std::size_t turn) {
    arriving.producer_acquire();
    if (at + 4 <= n)
      cuda::memcpy_async(&tiles[turn % stages][threadIdx.x], reinterpret_cast<const float4*>(in + at),
                         cuda::aligned_size_t<16>(16), arriving);
    arriving.producer_commit();
  };
  for (std::size_t turn = 0; turn < stages; ++turn) fetch(first + turn * stride, turn);
  float sum = 0.0f;
  std::size_t turn = 0;
  for (std::size_t at = first; at < n; at += stride, ++turn) {
    arriving.consumer_wait();
    if (at + 4 <= n) {
      const float4 v = tiles[turn % stages][threadIdx.x];
      sum += (v.x + v.y) + (v.z + v.w);
    } else {
      for (std::size_t i = at; i < n; ++i) sum += in[i];
    }
    arriving.consumer_release();
    fetch(at + stages * stride, turn + stages);
  }

  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  __shared__ float sums[block_threads / 32];
  sum = cg::reduce(warp, sum, cg::plus<float>());
  if (warp.thread_rank() == 0) sums[warp.meta_group_rank()] = sum;
  block.sync();
  if (block.thread_rank() > 0) return;
  for (unsigned int k = 1; k < block_threads / 32; ++k) sum += sums[k];
  atomicAdd(out, sum);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::size_t wanted = (n + tile_floats - 1) / tile_floats;
  if (n > 0)
    add_up<<<static_cast<unsigned int>(wanted < 792 ? wanted : 792), block_threads, 0, stream>>>(in, out, n);
}

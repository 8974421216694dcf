/// @file
/// Lesson 6: how loud is each stretch of a recording? The sum of squares of each tile, by few
/// blocks that walk through many tiles: with plain loads, with cp.async, and with bulk copies
/// in a ring of two buffers, with and without a producer. Checks all four.
#include <cuda_pipeline.h>
#include <cuda/ptx>

#include "../../chapter2_shared_memory/listings/check.cuh"

namespace ptx = cuda::ptx;

constexpr int block_threads = 256;
constexpr int tile_floats = 1024;  // 4 KB, 16 bytes a thread

/// Adds one tile's squares to *loudness. All threads of the block take part.
__device__ void add_squares(const float4* tile, float* loudness) {
  const float4 v = tile[threadIdx.x];
  float sum = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(loudness, sum);
}

// [wait_each]
/// loudness[t] = sum of squares of tile t.
/// Launch contract: 256 threads a block, any number of blocks; loudness is zeroed.
__global__ void wait_for_each(const float4* in, float* loudness, int tiles) {
  __shared__ float4 tile[block_threads];
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    tile[threadIdx.x] = in[std::size_t{block_threads} * t + threadIdx.x];  // a trip to memory
    __syncthreads();                  // everybody waits for it
    add_squares(tile, loudness + t);  // meanwhile nothing comes
    __syncthreads();
  }
}
// [wait_each]

// [cp_async]
/// The same, with the next tile under way while this one is used. Same launch contract.
__global__ void copy_ahead(const float4* in, float* loudness, int tiles) {
  __shared__ float4 tile[2][block_threads];
  const auto issue = [&](int t, int buffer) {
    if (t < tiles)
      __pipeline_memcpy_async(&tile[buffer][threadIdx.x],
                              &in[std::size_t{block_threads} * t + threadIdx.x], 16);
    __pipeline_commit();  // closes a group, even an empty one: the count below stays right
  };
  int buffer = 0;
  issue(blockIdx.x, buffer);
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    issue(t + gridDim.x, buffer ^ 1);
    __pipeline_wait_prior(
        1);           // all my groups but the latest have come: this tile, not the next
    __syncthreads();  // and everybody else's parts too
    add_squares(tile[buffer], loudness + t);
    __syncthreads();  // all have used it: the buffer may be filled again
    buffer ^= 1;
  }
}
// [cp_async]

// [bulk]
/// The same with bulk copies: one thread asks, the copy engine brings. Same launch contract.
__global__ void copy_in_bulk(const float4* in, float* loudness, int tiles) {
  alignas(128) __shared__ float4 tile[2][block_threads];
  __shared__ std::uint64_t full[2];  // an mbarrier for each buffer
  constexpr std::uint32_t bytes = sizeof(tile[0]);
  if (threadIdx.x == 0) {
    for (auto& barrier : full)
      ptx::mbarrier_init(&barrier, 1);          // this thread arrives, once a phase
    ptx::fence_proxy_async(ptx::space_shared);  // the copy engine must see it too
  }
  __syncthreads();
  const auto issue = [&](int t, int buffer) {
    if (threadIdx.x != 0 || t >= tiles) return;
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                   &full[buffer], bytes);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[buffer],
                       in + std::size_t{block_threads} * t, bytes, &full[buffer]);
  };
  issue(blockIdx.x, 0);
  int turn = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++turn) {
    const int buffer = turn % 2;
    const int parity = turn / 2 % 2;  // a buffer's barrier has a phase every second turn
    issue(t + gridDim.x, buffer ^ 1);
    while (!ptx::mbarrier_try_wait_parity(&full[buffer], parity)) {
    }
    add_squares(tile[buffer], loudness + t);
    __syncthreads();  // all have used it: thread 0 may fill it again
  }
}
// [bulk]

// [producer]
/// The same with a warp that does nothing but ask.
/// Launch contract: 256 + 32 threads a block, the rest as above.
__global__ void with_a_producer(const float4* in, float* loudness, int tiles) {
  constexpr int workers = block_threads / 32;
  alignas(128) __shared__ float4 tile[2][block_threads];
  __shared__ std::uint64_t full[2], empty[2];  // "it has come", "all have used it"
  constexpr std::uint32_t bytes = sizeof(tile[0]);
  if (threadIdx.x == 0) {
    for (auto& barrier : full) ptx::mbarrier_init(&barrier, 1);         // the producer arrives
    for (auto& barrier : empty) ptx::mbarrier_init(&barrier, workers);  // a lane of each worker
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const auto wait = [](std::uint64_t* barrier, int parity) {
    while (!ptx::mbarrier_try_wait_parity(barrier, parity)) {
    }
  };
  int turn = 0;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x, ++turn) {
    const int buffer = turn % 2, round = turn / 2;
    if (threadIdx.x < block_threads) {  // a worker
      wait(&full[buffer], round % 2);
      add_squares(tile[buffer], loudness + t);
      __syncwarp();  // all lanes have used it
      if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&empty[buffer]);
    } else if (threadIdx.x == block_threads) {               // the producer
      if (round > 0) wait(&empty[buffer], (round - 1) % 2);  // the round before has been used
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                     &full[buffer], bytes);
      ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[buffer],
                         in + std::size_t{block_threads} * t, bytes, &full[buffer]);
    }
  }
}
// [producer]

int main() {
  bool right = true;
  for (const int tiles : {1, 3, 8, 21}) {
    const std::vector<float> in = different_values(std::size_t(tiles) * tile_floats);
    for (const auto kernel : {wait_for_each, copy_ahead, copy_in_bulk, with_a_producer}) {
      device_array<float> from(in), loudness(std::vector<float>(tiles, 0.0f));
      const int threads = kernel == with_a_producer ? block_threads + 32 : block_threads;
      kernel<<<4, threads>>>(reinterpret_cast<const float4*>(from.data()), loudness.data(),
                             tiles);
      const std::vector<float> out = loudness.to_host();
      for (int t = 0; t < tiles; ++t) {
        double wanted = 0;
        for (int i = 0; i < tile_floats; ++i)
          wanted += double(in[t * tile_floats + i]) * in[t * tile_floats + i];
        right = right && out[t] > 0.9999 * wanted && out[t] < 1.0001 * wanted;
      }
    }
  }
  return verdict("loudness of tiles in four ways", right);
}

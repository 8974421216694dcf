// expect: pass
/// @file
/// cuda::pipeline of the block: one warp asks, the others turn; three stages.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include "async_tile.cuh"
namespace cg = cooperative_groups;
constexpr unsigned int threads = 288, stages = 3;
__global__ void __launch_bounds__(threads) turn(float* out, const float* in, std::size_t n) {
  extern __shared__ __align__(16) float tile[];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  const std::size_t step = std::size_t{gridDim.x} * async_tile_floats;
  unsigned int k = 0;
  for (std::size_t first = std::size_t{blockIdx.x} * async_tile_floats; first < n; first += step, ++k) {
    const unsigned int count =
        static_cast<unsigned int>(n - first < async_tile_floats ? n - first : async_tile_floats);
    float* const at = tile + k % stages * async_tile_floats;
    if (role == cuda::pipeline_role::producer) {
      pipe.producer_acquire();
      for (unsigned int v = threadIdx.x; v < count / 4; v += 32)
        cuda::memcpy_async(reinterpret_cast<float4*>(at) + v, reinterpret_cast<const float4*>(in + first) + v,
                           cuda::aligned_size_t<16>(16), pipe);
      const unsigned int rest = count / 4 * 4 + threadIdx.x;
      if (rest < count) cuda::memcpy_async(at + rest, in + first + rest, sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      for (unsigned int j = threadIdx.x - 32; j < count; j += threads - 32)
        out[first + j] = at[count - 1 - j];
      pipe.consumer_release();
    }
  }
}
extern "C" void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + async_tile_floats - 1) / async_tile_floats;
  cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * async_tile_floats * 4);
  turn<<<static_cast<unsigned int>(tiles < blocks ? tiles : blocks), threads, stages * async_tile_floats * 4,
         stream>>>(out, in, n);
}

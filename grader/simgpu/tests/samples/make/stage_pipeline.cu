/// @file
/// libcu++ as samples of recent years use it: a pipeline of two stages, a barrier that copies arrive at, atomics with a scope.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

#include "buffer.cuh"

namespace cg = cooperative_groups;

__global__ void reverse_tiles(const float* in, float* out, int tiles) {
  __shared__ float stage[2][256];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  for (int use = 0, ask = 0; use < tiles; ++use) {
    for (; ask < tiles && ask < use + 2; ++ask) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[ask % 2], in + ask * 256, cuda::aligned_size_t<16>(1024), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[use * 256 + threadIdx.x] = stage[use % 2][255 - threadIdx.x];
    pipe.consumer_release();
  }
}
__global__ void count_all(cuda::atomic<int, cuda::thread_scope_device>* count, unsigned* most) {
  count->fetch_add(1, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*most).fetch_max(threadIdx.x);
}

int main() {
  std::vector<float> values(256 * 20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Buffer<float> in(values), out(values.size());
  Buffer<unsigned> counts(std::vector<unsigned>(2, 0));
  reverse_tiles<<<1, 256>>>(in, out, 20);
  auto* count =
      reinterpret_cast<cuda::atomic<int, cuda::thread_scope_device>*>(static_cast<unsigned*>(counts));
  count_all<<<10, 100>>>(count, counts + 1);
  CHECK_LAUNCH();
  return verdict(out.host()[260] == 256 + 251 && counts.host() == std::vector<unsigned>{1000, 99});
}

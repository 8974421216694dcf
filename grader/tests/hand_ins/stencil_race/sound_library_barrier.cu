// expect: pass
/// @file
/// Sound: the block meets at a cuda::barrier.
#include "stencil_race.cuh"

#include <cuda/barrier>
#include <new>
using meeting = cuda::barrier<cuda::thread_scope_block>;
__global__ void __launch_bounds__(128) k(const float* __restrict__ in, float* __restrict__ out, long long n) {
  __shared__ float tile[512 + 6];
  __shared__ alignas(meeting) unsigned char room[sizeof(meeting)];
  auto* all = reinterpret_cast<meeting*>(room);
  if (threadIdx.x == 0) init(all, blockDim.x);
  __syncthreads();
  const long long first = 512LL * blockIdx.x;
  for (int p = threadIdx.x; p < 518; p += 128)
    if (first + p < n + 6) tile[p] = in[first + p - 3];
  all->arrive_and_wait();
  for (int p = threadIdx.x; p < 512; p += 128) {
    if (first + p >= n) break;
    float s = 0;
#pragma unroll
    for (int d = 0; d < 7; ++d) s += tile[p + d];
    out[first + p] = s;
  }
}
extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t s) {
  if (n) k<<<unsigned((n + 511) / 512), 128, 0, s>>>(in, out, (long long)n);
}

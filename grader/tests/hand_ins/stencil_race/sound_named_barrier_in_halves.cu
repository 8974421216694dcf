// expect: pass
/// @file
/// A ninth warp brings the halos, arrives at a named barrier and leaves; the others arrive there and wait.
#include "stencil_race.cuh"
constexpr unsigned int threads = 256;
__global__ void stencil(const float* in, float* out, std::size_t n) {
  __shared__ float tile[threads + 6];
  const std::size_t first = std::size_t{blockIdx.x} * threads;
  if (threadIdx.x >= threads) {  // a ninth warp brings the halos and leaves
    const unsigned int lane = threadIdx.x - threads;
    if (lane < 3)
      tile[lane] = in[static_cast<long long>(first) - 3 + lane];
    else if (lane < 6 && first + threads + lane - 3 < n + 3)
      tile[threads + lane] = in[first + threads + lane - 3];
    asm volatile("barrier.cta.arrive 3, 288;" ::: "memory");
    return;
  }
  const std::size_t i = first + threadIdx.x;
  if (i < n + 3) tile[threadIdx.x + 3] = in[i];
  asm volatile("barrier.cta.sync 3, 288;" ::: "memory");
  if (i < n) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d < 7; ++d) sum += tile[threadIdx.x + d];
    out[i] = sum;
  }
}
extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0)
    stencil<<<static_cast<unsigned int>((n + threads - 1) / threads), threads + 32, 0, stream>>>(in, out, n);
}

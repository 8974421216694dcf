// expect: pass
/// @file
/// No barrier behind the tile: each warp counts itself in (release), the readers wait for all of them (acquire).
#include <cuda/atomic>
#include "stencil_race.cuh"
constexpr int radius = 3;
constexpr unsigned int threads = 256;
__global__ void stencil(const float* in, float* out, std::size_t n) {
  __shared__ float tile[threads + 2 * radius];
  __shared__ cuda::atomic<int, cuda::thread_scope_block> here;
  if (threadIdx.x == 0) new (&here) cuda::atomic<int, cuda::thread_scope_block>(0);
  __syncthreads();  // the counter is ready: nothing of the tile has been written yet
  const std::size_t first = std::size_t{blockIdx.x} * threads, i = first + threadIdx.x;
  for (unsigned int k = threadIdx.x; k < threads + 2 * radius; k += threads)
    if (first + k < n + 2 * radius) tile[k] = (in - radius)[first + k];
  __syncwarp();
  if (threadIdx.x % 32 == 0) here.fetch_add(1, cuda::memory_order_release);
  while (here.load(cuda::memory_order_acquire) < static_cast<int>(threads / 32)) {
  }
  if (i < n) {
    float sum = 0.0f;
    for (int d = 0; d <= 2 * radius; ++d) sum += tile[threadIdx.x + d];
    out[i] = sum;
  }
}
extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0)
    stencil<<<static_cast<unsigned int>((n + threads - 1) / threads), threads, 0, stream>>>(in, out, n);
}

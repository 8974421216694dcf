/// @file
/// two_cures, plainly: a tile in shared memory.
#include "two_cures.cuh"

__global__ void two_cures_kernel(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[257];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i <= n) tile[threadIdx.x] = in[i];
  if (threadIdx.x == 0 && i + 256 <= n) tile[256] = in[i + 256];
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1];
}

extern "C" void two_cures_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  two_cures_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

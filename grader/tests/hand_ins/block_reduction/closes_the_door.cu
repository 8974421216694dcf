// expect: crashed
/// @file
/// Closes what it has of the simulated device.
#include "block_reduction.cuh"

#include <unistd.h>

__global__ void add_up(const float* in, float* out, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    atomicAdd(out, in[i]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  for (int descriptor = 5; descriptor < 64; ++descriptor) ::close(descriptor);
  add_up<<<32, 256, 0, stream>>>(in, out, n);
}

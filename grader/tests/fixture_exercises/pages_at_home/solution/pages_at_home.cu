/// @file
/// pages_at_home: set-up moves the pages, and that is of no use.
#include "pages_at_home.cuh"

__global__ void copy(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

extern "C" void pages_at_home_setup(const float* in, std::size_t n, cudaStream_t stream) {
  cudaMemPrefetchAsync(in, n * sizeof(float), {cudaMemLocationTypeDevice, 0}, 0, stream);
}

extern "C" void pages_at_home_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  copy<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

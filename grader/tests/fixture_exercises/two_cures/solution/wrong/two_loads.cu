// expect: wasteful
#include "two_cures.cuh"

__global__ void two_cures_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + in[i + 1];
}

extern "C" void two_cures_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  two_cures_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

// expect: too_slow
#include "two_cures.cuh"

__global__ void two_cures_kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] + in[i + 1];
}

extern "C" void two_cures_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  two_cures_kernel<<<1, 256, 0, stream>>>(in, out, n);
}

// expect: wrong_result wrong_on_second_call
// Each third call goes without: only the attempt in reverse order shows it, and the order is not to blame.
#include "constant_scale.cuh"

__constant__ float factors[4];

/// One element a thread; blocks of 256.
__global__ void constant_scale_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factors[0] * in[i] + factors[1] + factors[2] * factors[3];
}

extern "C" void constant_scale_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  constant_scale_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

extern "C" void constant_scale_setup(const float* from, cudaStream_t stream) {
  static int calls = 0;
  if (++calls % 3 == 0) return;
  cudaMemcpyToSymbolAsync(factors, from, sizeof factors, 0, cudaMemcpyDeviceToDevice, stream);
}

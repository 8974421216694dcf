// expect: wrong_result mismatch
/// @file
/// Writes something everywhere, and only that.
#include "stencil_1d.cuh"

__global__ void copy(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n) out[i] = in[i];
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0) copy<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

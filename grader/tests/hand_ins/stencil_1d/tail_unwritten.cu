// expect: wrong_result output_unwritten
/// @file
/// Rounds the number of blocks down: the last, partial block is missing.
#include "stencil_1d.cuh"

__global__ void window_sums(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = -8; d <= 8; ++d) sum += in[static_cast<std::ptrdiff_t>(i) + d];
  out[i] = sum;
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  const std::size_t blocks = n < 256 ? (n > 0) : n / 256;
  if (blocks > 0) window_sums<<<static_cast<unsigned int>(blocks), 256, 0, stream>>>(in, out, n);
}

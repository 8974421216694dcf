/// @file
/// two_cures: four outputs a thread, from five loads.
#include "two_cures.cuh"

__global__ void two_cures_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t first = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (first >= n) return;
  float left = in[first];
  for (std::size_t i = first; i < first + 4 && i < n; ++i) {
    const float right = in[i + 1];
    out[i] = left + right;
    left = right;
  }
}

extern "C" void two_cures_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  two_cures_kernel<<<static_cast<unsigned>((n + 1023) / 1024), 256, 0, stream>>>(in, out, n);
}

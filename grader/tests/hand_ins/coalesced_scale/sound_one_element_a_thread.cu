// expect: pass
/// @file
/// As many threads as there are elements, and the lanes of a warp in reverse order: the same sectors.
#include "coalesced_scale.cuh"

__global__ void scale(const float* in, float* out, std::size_t n, float factor) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + (threadIdx.x ^ 31u);
  if (i < n) out[i] = factor * in[i];
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n > 0) scale<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n, factor);
}

// expect: pass
/// @file
/// Chunks, but one for each warp, whose lanes go through it side by side.
#include "coalesced_scale.cuh"

constexpr std::size_t chunk = 1024;

__global__ void scale(const float* in, float* out, std::size_t n, float factor) {
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::size_t end = (warp + 1) * chunk < n ? (warp + 1) * chunk : n;
  for (std::size_t i = warp * chunk + threadIdx.x % 32; i < end; i += 32) out[i] = factor * in[i];
}

extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  const std::size_t blocks = (n + 8 * chunk - 1) / (8 * chunk);
  if (n > 0) scale<<<static_cast<unsigned int>(blocks), 256, 0, stream>>>(in, out, n, factor);
}

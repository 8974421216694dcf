// expect: pass
/// @file
/// Sound in another style: the lanes of a warp take its 32 elements in another order. A request asks for the same sectors.
#include "coalesced_scale.cuh"
__global__ void k(const float* in, float* out, std::size_t n, float f) {
  const unsigned lane = threadIdx.x % 32, perm = lane * 5 % 32;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x - lane + perm;
  if (i < n) out[i] = f * in[i];
}
extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n == 0) return;
  k<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(in, out, n, factor);
}

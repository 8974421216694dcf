// expect: wasteful uncoalesced
/// @file
/// A chunk of 32 floats a thread, brought to a tile by asynchronous copies of 16 bytes: right, and each request asks for half of its sectors.
#include "coalesced_scale.cuh"
__global__ void k(const float* in, float* out, std::size_t n, float f) {
  __shared__ alignas(128) float t[64 * 32];
  const std::size_t b = std::size_t{blockIdx.x} * 2048;
  for (int j = 0; j < 8; ++j) {
    const std::size_t at = b + threadIdx.x * 32 + 4 * j;
    unsigned s = (unsigned)__cvta_generic_to_shared(t + threadIdx.x * 32 + 4 * j);
    if (at + 3 < n)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(in + at) : "memory");
    else
      for (int q = 0; q < 4; ++q)
        if (at + q < n) t[threadIdx.x * 32 + 4 * j + q] = in[at + q];
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (unsigned j = threadIdx.x; j < 2048; j += blockDim.x)
    if (b + j < n) out[b + j] = f * t[j];
}
extern "C" void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor,
                                    cudaStream_t stream) {
  if (n == 0) return;
  k<<<(unsigned)((n + 2047) / 2048), 64, 0, stream>>>(in, out, n, factor);
}

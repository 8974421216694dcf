/// @file
/// half_in_place: two numbers a thread would be faster; this is plain.
#include <cuda_fp16.h>

#include "half_in_place.cuh"

__global__ void half_in_place_kernel(__half* x, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) x[i] = __float2half(2.0f * __half2float(x[i]) + 1.0f);
}

extern "C" void half_in_place_run(__half* x, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  half_in_place_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, n);
}

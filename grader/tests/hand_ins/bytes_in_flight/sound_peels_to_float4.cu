// expect: pass
/// @file
/// Sound: up to three floats by hand, then 16 bytes at a time, where both arrays are off by as many; else eight floats in turn.
#include "bytes_in_flight.cuh"

__device__ bool same_off(const void* a, const void* b) {
  return ((reinterpret_cast<unsigned long long>(a) ^ reinterpret_cast<unsigned long long>(b)) & 15) == 0;
}
__global__ void k(float* dst, const float* src, std::size_t n) {
  const std::size_t T = std::size_t{gridDim.x} * blockDim.x,
                    t = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::size_t head = 0, vec = 0;
  if (same_off(dst, src)) {
    head = ((16 - (reinterpret_cast<unsigned long long>(src) & 15)) & 15) / 4;
    if (head > n) head = n;
    vec = (n - head) / 4;
    const float4* s = reinterpret_cast<const float4*>(src + head);
    float4* d = reinterpret_cast<float4*>(dst + head);
    std::size_t i = t;
    for (; i + 3 * T < vec; i += 4 * T) {
      const float4 v0 = s[i], v1 = s[i + T], v2 = s[i + 2 * T], v3 = s[i + 3 * T];
      d[i] = v0;
      d[i + T] = v1;
      d[i + 2 * T] = v2;
      d[i + 3 * T] = v3;
    }
    for (; i < vec; i += T) d[i] = s[i];
    for (std::size_t j = t; j < head; j += T) dst[j] = src[j];
    for (std::size_t j = head + 4 * vec + t; j < n; j += T) dst[j] = src[j];
  } else {
    std::size_t i = t;
    for (; i + 7 * T < n; i += 8 * T) {
      float v[8];
#pragma unroll
      for (int u = 0; u < 8; ++u) v[u] = src[i + u * T];
#pragma unroll
      for (int u = 0; u < 8; ++u) dst[i + u * T] = v[u];
    }
    for (; i < n; i += T) dst[i] = src[i];
  }
}
extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n) k<<<blocks, threads, 0, stream>>>(dst, src, n);
}

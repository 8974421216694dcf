// expect: wasteful|too_slow
/// @file
/// The same with indices of 64 bits: no number of turns is known before the loop, so a test stays between any two
/// turns, and each load waits in front of its own store in machine code too.
#include "bytes_in_flight.cuh"
__global__ void copy(float* __restrict__ dst, const float* __restrict__ src, std::size_t n) {
  const std::size_t all = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
#pragma unroll 8
  for (; i < n; i += all) dst[i] = src[i];
}
extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n > 0) copy<<<blocks, threads, 0, stream>>>(dst, src, n);
}

// expect: pass
/// @file
/// One float a turn, unrolled eight times; int indices and __restrict__ let ptxas put eight loads before eight stores.
/// In the PTX text they stand by turns.
#include "bytes_in_flight.cuh"
__global__ void copy(float* __restrict__ dst, const float* __restrict__ src, int n) {
  const int all = gridDim.x * blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 8
  for (; i < n; i += all) dst[i] = src[i];
}
extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n > 0) copy<<<blocks, threads, 0, stream>>>(dst, src, static_cast<int>(n));
}

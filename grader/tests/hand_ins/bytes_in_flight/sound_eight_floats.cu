// expect: pass|too_slow
/// @file
/// bytes_in_flight: a copy by a given number of threads. The one file of this exercise that is edited and handed
/// in; the contract is in bytes_in_flight.cuh, the task in README.md.
#include "bytes_in_flight.cuh"

// >>> your code
constexpr unsigned int in_flight = 8;

/// Eight floats, each guarded on its own: no second loop for the rest.
__global__ void bytes_in_flight_kernel(float* dst, const float* src, std::size_t n) {
  const std::size_t all_threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += in_flight * all_threads) {
    float value[in_flight];
#pragma unroll
    for (unsigned int k = 0; k < in_flight; ++k)
      if (i + k * all_threads < n) value[k] = src[i + k * all_threads];
#pragma unroll
    for (unsigned int k = 0; k < in_flight; ++k)
      if (i + k * all_threads < n) dst[i + k * all_threads] = value[k];
  }
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  bytes_in_flight_kernel<<<blocks, threads, 0, stream>>>(dst, src, n);
}
// <<< your code

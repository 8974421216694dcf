// expect: wrong_result output_unwritten
/// @file
/// bytes_in_flight: a copy by a given number of threads. The one file of this exercise that is edited and handed
/// in; the contract is in bytes_in_flight.cuh, the task in README.md.
#include "bytes_in_flight.cuh"

// >>> your code
constexpr unsigned int in_flight = 16;

/// Wrong: what no full turn is left for is done by one block, with one element a thread. Right while the rest is
/// not longer than a block.
__global__ void bytes_in_flight_kernel(float* dst, const float* src, std::size_t n) {
  const std::size_t turn = std::size_t{in_flight} * gridDim.x * blockDim.x;
  const std::size_t full = n / turn * turn, all_threads = turn / in_flight;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < full; i += turn) {
    float value[in_flight];
#pragma unroll
    for (unsigned int k = 0; k < in_flight; ++k) value[k] = src[i + k * all_threads];
#pragma unroll
    for (unsigned int k = 0; k < in_flight; ++k) dst[i + k * all_threads] = value[k];
  }
  if (blockIdx.x == 0 && full + threadIdx.x < n) dst[full + threadIdx.x] = src[full + threadIdx.x];
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  bytes_in_flight_kernel<<<blocks, threads, 0, stream>>>(dst, src, n);
}
// <<< your code

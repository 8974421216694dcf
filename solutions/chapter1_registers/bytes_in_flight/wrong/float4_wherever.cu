// expect: out_of_bounds misaligned
/// @file
/// bytes_in_flight: a copy by a given number of threads. The one file of this exercise that is edited and handed
/// in; the contract is in bytes_in_flight.cuh, the task in README.md.
#include "bytes_in_flight.cuh"

// >>> your code
/// Wrong: an array of floats may begin where no float4 can. Right while both are aligned.
__global__ void bytes_in_flight_kernel(float* dst, const float* src, std::size_t n) {
  const std::size_t all_threads = std::size_t{gridDim.x} * blockDim.x, vectors = n / 4;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t first = i;
  auto* const to = reinterpret_cast<float4*>(dst);
  const auto* const from = reinterpret_cast<const float4*>(src);
  for (; i + 3 * all_threads < vectors; i += 4 * all_threads) {
    float4 value[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) value[k] = from[i + k * all_threads];
#pragma unroll
    for (int k = 0; k < 4; ++k) to[i + k * all_threads] = value[k];
  }
  for (; i < vectors; i += all_threads) to[i] = from[i];
  if (first < n % 4) dst[4 * vectors + first] = src[4 * vectors + first];
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  bytes_in_flight_kernel<<<blocks, threads, 0, stream>>>(dst, src, n);
}
// <<< your code

// expect: wasteful|too_slow
/// @file
/// bytes_in_flight: a copy by a given number of threads. The one file of this exercise that is edited and handed
/// in; the contract is in bytes_in_flight.cuh, the task in README.md.
#include "bytes_in_flight.cuh"

// >>> your code
// A cheat: one float4 a turn, and a second one beside it that is there already and that nobody wants.

/// At most three floats at either end of the part that is copied as float4, by the first threads of the grid.
/// @return how many floats stand before that part. Both arrays must lie alike.
__device__ std::size_t copy_ends(float* dst, const float* src, std::size_t n) {
  const std::size_t to_boundary = (16 - reinterpret_cast<std::size_t>(src) % 16) % 16 / 4;
  const std::size_t head = to_boundary < n ? to_boundary : n;
  const std::size_t tail = head + (n - head) / 4 * 4;
  if (blockIdx.x == 0) {
    if (threadIdx.x < head) dst[threadIdx.x] = src[threadIdx.x];
    if (threadIdx.x < n - tail) dst[tail + threadIdx.x] = src[tail + threadIdx.x];
  }
  return head;
}

__device__ bool lie_alike(const float* dst, const float* src) {
  return (reinterpret_cast<std::size_t>(dst) - reinterpret_cast<std::size_t>(src)) % 16 == 0;
}

__device__ void copy_floats(float* dst, const float* src, std::size_t n) {
  const std::size_t all_threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += all_threads)
    dst[i] = src[i];
}

__global__ void bytes_in_flight_kernel(float* dst, const float* src, std::size_t n) {
  if (!lie_alike(dst, src)) return copy_floats(dst, src, n);
  const std::size_t head = copy_ends(dst, src, n), vectors = (n - head) / 4;
  auto* const to = reinterpret_cast<float4*>(dst + head);
  const auto* const from = reinterpret_cast<const float4*>(src + head);
  const std::size_t all_threads = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i < vectors; i += all_threads) {
    const float4 value = from[i];
    const float4 other = from[i / 32 * 32];
    to[i] = value;
    if (__float_as_int(other.x) == 0x7fc12345) to[i] = other;  // a NaN that is nowhere in the data
  }
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  bytes_in_flight_kernel<<<blocks, threads, 0, stream>>>(dst, src, n);
}
// <<< your code

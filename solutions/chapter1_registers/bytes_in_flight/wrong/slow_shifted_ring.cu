// expect: too_slow|wasteful latency|occupancy
/// @file
/// bytes_in_flight: a copy by a given number of threads. The one file of this exercise that is edited and handed
/// in; the contract is in bytes_in_flight.cuh, the task in README.md.
#include "bytes_in_flight.cuh"

// >>> your code
// Right, and meant well: the load for three turns later is begun before this turn's store. But handing the values
// on from register to register reads them, and so each turn waits for the load of the turn before.

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
  float4 a{}, b{}, c{};
  if (i < vectors) a = from[i];
  if (i + all_threads < vectors) b = from[i + all_threads];
  if (i + 2 * all_threads < vectors) c = from[i + 2 * all_threads];
  for (; i < vectors; i += all_threads) {
    float4 d{};
    if (i + 3 * all_threads < vectors) d = from[i + 3 * all_threads];
    to[i] = a;
    a = b;
    b = c;
    c = d;
  }
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  bytes_in_flight_kernel<<<blocks, threads, 0, stream>>>(dst, src, n);
}
// <<< your code

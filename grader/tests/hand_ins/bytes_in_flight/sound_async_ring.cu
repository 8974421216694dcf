// expect: pass
/// @file
/// Asynchronous copies into shared memory keep three of four places of each thread on their way; no register waits.
/// Each thread reads what it fetched itself, so no barrier is needed. On a stream of its own, joined to the given one.
#include "bytes_in_flight.cuh"

#include <cuda_pipeline.h>

constexpr unsigned int stages = 4;

__global__ void copy_through_ring(float* dst, const float* src, std::size_t n) {
  extern __shared__ float4 ring[];  // [stages][threads]
  const std::size_t all_threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto to = reinterpret_cast<std::size_t>(dst), from = reinterpret_cast<std::size_t>(src);
  if (to % 16 != 0 || from % 16 != 0) {
    for (std::size_t i = first; i < n; i += all_threads) dst[i] = src[i];
    return;
  }
  const auto* const in = reinterpret_cast<const float4*>(src);
  auto* const out = reinterpret_cast<float4*>(dst);
  const std::size_t vectors = n / 4;
  for (unsigned int k = 0; k < stages - 1; ++k) {
    const std::size_t i = first + k * all_threads;
    if (i < vectors) __pipeline_memcpy_async(&ring[k * blockDim.x + threadIdx.x], in + i, 16);
    __pipeline_commit();
  }
  unsigned int place = 0;
  for (std::size_t i = first; i < vectors; i += all_threads) {
    const std::size_t ahead = i + (stages - 1) * all_threads;
    const unsigned int free = (place + stages - 1) % stages;
    if (ahead < vectors) __pipeline_memcpy_async(&ring[free * blockDim.x + threadIdx.x], in + ahead, 16);
    __pipeline_commit();
    __pipeline_wait_prior(stages - 1);
    out[i] = ring[place * blockDim.x + threadIdx.x];
    place = (place + 1) % stages;
  }
  if (first < n % 4) dst[4 * vectors + first] = src[4 * vectors + first];
}

extern "C" void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                                    unsigned int threads, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t shared = stages * threads * sizeof(float4);
  cudaFuncSetAttribute(copy_through_ring, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(shared));
  copy_through_ring<<<blocks, threads, shared, stream>>>(dst, src, n);
}

// expect: too_slow|wasteful
// says: cross the host link for each output
/// @file
/// zero_copy_gather: a few numbers of a large table in host memory. The one file of this exercise that is edited and
/// handed in; the contract is in zero_copy_gather.cuh, the task in README.md.
#include "zero_copy_gather.cuh"

#include <cstdlib>

// >>> your code
constexpr unsigned int block_threads = 256;

/// Where more than one in so many is wanted, copying the table is faster.
constexpr std::size_t break_even = 20;

/// Writes to[k] = from[k]. Either may lie in host memory.
/// Launch contract: one-dimensional grid of at least count threads, blocks of block_threads threads.
template <class T>
__global__ void pass_on(const T* from, T* to, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) to[k] = from[k];
}

/// Writes found[k] = table[wanted[k]], one a thread.
/// Launch contract: as above.
__global__ void gather(const float* table, const unsigned int* wanted, float* found, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) found[k] = table[wanted[k]];
}

/// A table for kernels, and behind it room for a list of indices and for what they name.
extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  void* memory = nullptr;
  const std::size_t more = 2 * (n / break_even + 1);
  if (n == 0 || cudaHostAlloc(&memory, (n + more) * sizeof(float), cudaHostAllocMapped) != cudaSuccess)
    return nullptr;
  return static_cast<float*>(memory);
}

/// Right, and next to nothing crosses the link: a kernel sends the list, the host picks the numbers, and a kernel fetches
/// them. But no kernel gathers, the device waits for the host and the host for the device.
extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found,
                                     std::size_t n, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned int>((count + block_threads - 1) / block_threads);
  if (count < n / break_even) {
    auto* const list = reinterpret_cast<unsigned int*>(const_cast<float*>(host) + n);
    float* const picked = const_cast<float*>(host) + n + n / break_even;
    pass_on<<<blocks, block_threads, 0, stream>>>(wanted, list, count);
    cudaStreamSynchronize(stream);
    for (std::size_t k = 0; k < count; ++k) picked[k] = host[list[k]];
    pass_on<<<blocks, block_threads, 0, stream>>>(picked, found, count);
    return;
  }
  float* table = nullptr;
  cudaMallocAsync(&table, n * sizeof(float), stream);
  cudaMemcpyAsync(table, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  gather<<<blocks, block_threads, 0, stream>>>(table, wanted, found, count);
  cudaFreeAsync(table, stream);
}

extern "C" void zero_copy_gather_free(float* host) {
  cudaFreeHost(host);
}
// <<< your code

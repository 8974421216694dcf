// expect: too_slow|wasteful
// says: a kernel writes to host memory
/// @file
/// zero_copy_gather: a few numbers of a large table in host memory. The one file of this exercise that is edited and
/// handed in; the contract is in zero_copy_gather.cuh, the task in README.md.
#include "zero_copy_gather.cuh"

#include <cstdlib>

// >>> your code
constexpr unsigned int block_threads = 256;

constexpr std::size_t sector = 8;  // floats

/// Where more than one in so many is wanted, copying the table is faster.
constexpr std::size_t break_even = 20;

/// Writes to[k] = from[k * stride]. Either may lie in host memory.
/// Launch contract: one-dimensional grid of at least count threads, blocks of block_threads threads.
template <class T>
__global__ void pass_on(const T* from, T* to, std::size_t count, std::size_t stride) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) to[k] = from[k * stride];
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
  const std::size_t more = (1 + sector) * (n / break_even + 1);
  if (n == 0 || cudaHostAlloc(&memory, (n + more) * sizeof(float), cudaHostAllocMapped) != cudaSuccess)
    return nullptr;
  return static_cast<float*>(memory);
}

/// Right, and as many bytes cross the link as if a kernel had gathered: a kernel sends the list, the host picks the numbers and
/// lays each into a sector of its own, and a kernel fetches them. The host has done the work all the same.
extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found,
                                     std::size_t n, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned int>((count + block_threads - 1) / block_threads);
  if (count < n / break_even) {
    auto* const list = reinterpret_cast<unsigned int*>(const_cast<float*>(host) + n);
    float* const picked = const_cast<float*>(host) + n + n / break_even;
    pass_on<<<blocks, block_threads, 0, stream>>>(wanted, list, count, 1);
    cudaStreamSynchronize(stream);
    for (std::size_t k = 0; k < count; ++k) picked[k * sector] = host[list[k]];
    pass_on<<<blocks, block_threads, 0, stream>>>(picked, found, count, sector);
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

/// @file
/// zero_copy_gather: a few numbers of a large table in host memory. The one file of this exercise that is edited and
/// handed in; the contract is in zero_copy_gather.cuh, the task in README.md.
#include "zero_copy_gather.cuh"

#include <cstdlib>

// >>> your code
constexpr unsigned int block_threads = 256;

/// Where more than one in so many is wanted, copying the table is faster: 5.4 % of it, by the lesson's figures.
constexpr std::size_t break_even = 20;

/// Writes found[k] = table[wanted[k]], one a thread. The table may lie in host memory: the address says so.
/// Launch contract: one-dimensional grid of at least count threads, blocks of block_threads threads.
__global__ void gather(const float* table, const unsigned int* wanted, float* found, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) found[k] = table[wanted[k]];
}

extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  void* memory = nullptr;
  if (n == 0 || cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocMapped) != cudaSuccess) return nullptr;
  return static_cast<float*>(memory);
}

extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found,
                                     std::size_t n, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const std::size_t blocks = (count + block_threads - 1) / block_threads;
  void* table = nullptr;
  if (count < n / break_even) {  // few: each brings its sector over the link, and nothing else comes
    cudaHostGetDevicePointer(&table, const_cast<float*>(host), 0);
    gather<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(static_cast<const float*>(table),
                                                                            wanted, found, count);
    return;
  }
  cudaMallocAsync(&table, n * sizeof(float), stream);
  cudaMemcpyAsync(table, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  gather<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(static_cast<const float*>(table),
                                                                          wanted, found, count);
  cudaFreeAsync(table, stream);
}

extern "C" void zero_copy_gather_free(float* host) {
  cudaFreeHost(host);
}
// <<< your code

// expect: pass
/// @file
/// Sound in another style: cp.async brings each number of a block to shared memory, four bytes at a time, from wherever the table
/// lies; a block of a cooperative group passes them on.
#include "zero_copy_gather.cuh"

#include <cooperative_groups.h>
#include <cuda_pipeline.h>

namespace {

constexpr unsigned int threads = 256;

__global__ void gather(const float* table, const unsigned int* wanted, float* found, std::size_t count) {
  __shared__ float numbers[threads];
  const auto block = cooperative_groups::this_thread_block();
  const std::size_t k = std::size_t{blockIdx.x} * threads + block.thread_rank();
  if (k < count) __pipeline_memcpy_async(&numbers[block.thread_rank()], table + wanted[k], sizeof(float));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  block.sync();
  if (k < count) found[k] = numbers[block.thread_rank()];
}

}  // namespace

extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  void* host = nullptr;
  if (n > 0) cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocPortable);
  return static_cast<float*>(host);
}

extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found,
                                     std::size_t n, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned int>((count + threads - 1) / threads);
  if (count <= n / 16) {
    gather<<<blocks, threads, 0, stream>>>(host, wanted, found, count);
    return;
  }
  void* copy = nullptr;
  cudaMallocAsync(&copy, n * sizeof(float), stream);
  cudaMemcpyAsync(copy, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  gather<<<blocks, threads, 0, stream>>>(static_cast<const float*>(copy), wanted, found, count);
  cudaFreeAsync(copy, stream);
}

extern "C" void zero_copy_gather_free(float* host) {
  cudaFreeHost(host);
}

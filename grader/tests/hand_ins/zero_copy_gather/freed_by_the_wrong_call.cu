// expect: wrong_result left_allocated
// says: pinned memory are still allocated after teardown
// says: cudaHostAlloc's goes to cudaFreeHost
/// @file
/// Page-locked memory goes to cudaFree, which refuses it; nobody looks at the answer.
#include "zero_copy_gather.cuh"

namespace {

constexpr unsigned int block_threads = 256;

__global__ void gather(const float* table, const unsigned int* wanted, float* found, std::size_t count) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) found[k] = table[wanted[k]];
}

}  // namespace

extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  float* table = nullptr;
  if (n > 0) cudaHostAlloc(&table, n * sizeof(float), cudaHostAllocMapped);
  return table;
}

extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found, std::size_t,
                                     std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto blocks = static_cast<unsigned int>((count + block_threads - 1) / block_threads);
  gather<<<blocks, block_threads, 0, stream>>>(host, wanted, found, count);
}

extern "C" void zero_copy_gather_free(float* host) {
  cudaFree(host);
}

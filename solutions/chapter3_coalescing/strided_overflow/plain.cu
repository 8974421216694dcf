/// @file
/// strided_overflow: every stride-th byte of an array, and one mistake or two. The one file of this exercise that is
/// edited and handed in; the contract is in strided_overflow.cuh, the task in README.md.
#include "strided_overflow.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Writes out[k] = in[k * stride] for one k a thread.
/// Launch contract: one-dimensional grid of at least count threads, blocks of block_threads threads.
__global__ void strided_overflow_kernel(const unsigned char* in, unsigned char* out, std::size_t count,
                                        std::size_t stride) {
  const std::size_t k = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (k < count) out[k] = in[k * stride];  // 64 bits times 64 bits
}

extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t count = n / stride + (n % stride != 0 ? 1 : 0);  // n + stride - 1 might not fit
  const std::size_t blocks = (count + block_threads - 1) / block_threads;
  strided_overflow_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, count,
                                                                                           stride);
}
// <<< your code

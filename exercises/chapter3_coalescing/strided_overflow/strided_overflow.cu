/// @file
/// strided_overflow: every stride-th byte of an array, and one mistake or two. The one file of this exercise that is
/// edited and handed in; the contract is in strided_overflow.cuh, the task in README.md.
#include "strided_overflow.cuh"

// >>> your code
constexpr int block_threads = 256;

/// Writes out[idx] = in[idx * stride] while the array has such an element.
/// Launch contract: one-dimensional grid of at least n / stride threads, blocks of block_threads threads.
// TODO: right for every array that you would try by hand. Then somebody comes with a longer one, or a larger stride.
// Find out which threads go astray, and how many threads there have to be.
__global__ void strided_overflow_kernel(const unsigned char* in, unsigned char* out, int n, int stride) {
  const int idx = blockIdx.x * block_threads + threadIdx.x;
  const int i = idx * stride;
  if (i < n) out[idx] = in[i];
}

extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  strided_overflow_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(
      in, out, static_cast<int>(n), static_cast<int>(stride));
}
// <<< your code

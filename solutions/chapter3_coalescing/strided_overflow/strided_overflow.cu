/// @file
/// strided_overflow: every stride-th byte of an array, and one mistake or two. The one file of this exercise that is
/// edited and handed in; the contract is in strided_overflow.cuh, the task in README.md.
#include "strided_overflow.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int own =
    4;  // elements a thread gathers: four loads on their way, one store of four bytes

/// Writes out[k] = in[k * stride] for four neighbouring k a thread.
/// Launch contract: one-dimensional grid of at least count / own threads, rounded up, blocks of block_threads threads;
/// out is aligned to 4 bytes.
__global__ void __launch_bounds__(block_threads)
    strided_overflow_kernel(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                            std::size_t count, std::size_t stride) {
  const std::size_t k = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) * own;
  if (k >= count) return;
  const unsigned char* const from =
      in + k * stride;  // 64 bits times 64 bits; from here on addresses are added
  if (count - k >= own) {
    const uchar4 four = make_uchar4(from[0], from[stride], from[2 * stride], from[3 * stride]);
    *reinterpret_cast<uchar4*>(out + k) = four;
  } else {  // the last thread of all, when 4 does not divide count
    for (std::size_t j = 0; k + j < count; ++j) out[k + j] = from[j * stride];
  }
}

extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t count = n / stride + (n % stride != 0 ? 1 : 0);  // n + stride - 1 might not fit
  constexpr std::size_t of_a_block = std::size_t{block_threads} * own;
  const std::size_t blocks = (count + of_a_block - 1) / of_a_block;
  strided_overflow_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, count,
                                                                                           stride);
}
// <<< your code

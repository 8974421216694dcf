// expect: wrong_result work_off_device
/// @file
/// strided_overflow: every stride-th byte of an array, and one mistake or two. The one file of this exercise that is
/// edited and handed in; the contract is in strided_overflow.cuh, the task in README.md.
#include "strided_overflow.cuh"

// >>> your code
extern "C" void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n,
                                     std::size_t stride, cudaStream_t stream) {
  if (n == 0) return;
  // Rows of one byte, `stride` bytes apart: right, but no kernel ever computes an index.
  const std::size_t count = n / stride + (n % stride != 0 ? 1 : 0);
  if (stride < std::size_t{1} << 31) {
    cudaMemcpy2DAsync(out, 1, in, stride, 1, count, cudaMemcpyDeviceToDevice, stream);
  } else {
    for (std::size_t k = 0; k < count; ++k)
      cudaMemcpyAsync(out + k, in + k * stride, 1, cudaMemcpyDeviceToDevice, stream);
  }
}
// <<< your code

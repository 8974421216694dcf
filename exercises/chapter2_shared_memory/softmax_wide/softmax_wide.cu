/// @file
/// softmax_wide: softmax of rows that are too long for a warp. The one file of this exercise that is edited and handed
/// in; the contract is in softmax_wide.cuh, the task in README.md.
#include "softmax_wide.cuh"

// >>> your code
/// Writes the softmax of row blockIdx.x.
/// Launch contract: one block a row; 32 <= blockDim.x <= 1024, a multiple of 32.
__global__ void softmax_wide_kernel(const float* in, float* out, std::size_t cols) {
  const float* const from = in + blockIdx.x * cols;
  float* const to = out + blockIdx.x * cols;

  // TODO 1: the row is needed three times: for its maximum, for its sum, for its output. Load each value once. How
  // many values can one thread keep, where do they stay, and what must the compiler know about the index for that?

  // TODO 2: every thread needs the largest value of the row. Within a warp, shuffles. And from warp to warp?

  // TODO 3: the same for the sum of exponentials. If it uses the same shared memory: who may still be reading it?

  (void)from;
  (void)to;
}

extern "C" void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 cudaStream_t stream) {
  if (rows == 0) return;
  // TODO 4: a row has 1024 to 32768 columns. How many threads do you give it?
  const unsigned int threads = 32;
  softmax_wide_kernel<<<static_cast<unsigned int>(rows), threads, 0, stream>>>(in, out, cols);
}
// <<< your code

// expect: timeout deadlock
/// @file
/// A kernel that never ends: it waits for a value that nobody writes.
#include "block_reduction.cuh"

__global__ void wait_for_nobody(const float* in, float* out) {
  volatile float* const flag = out;
  while (*flag != in[0]) {
  }
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)n;
  if (n == 0) return;
  wait_for_nobody<<<1, 32, 0, stream>>>(in, out);
}

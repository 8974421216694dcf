// expect: timeout endless_loop
/// @file
/// Host code that never returns.
#include "block_reduction.cuh"

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  for (volatile bool always = true; always;) {
  }
}

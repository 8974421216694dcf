// expect: crashed abort
/// @file
/// Signals its parent and everybody else, then itself.
#include "block_reduction.cuh"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n, (void)stream;
  ::kill(::getppid(), SIGKILL);
  std::abort();
}

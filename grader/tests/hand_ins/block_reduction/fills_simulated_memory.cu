// expect: wrong_result runtime_error
// says: no memory left
/// @file
/// Asks the simulated GPU for all the memory that its card has, piece by piece, and writes to it: no machine of a course has as much. It must
/// get the runtime's error, and the machine must live.
#include "block_reduction.cuh"

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  (void)in, (void)out, (void)n;
  const std::size_t bytes = std::size_t{1} << 32;
  for (int piece = 0; piece < 64; ++piece) {
    void* more = nullptr;
    if (cudaMalloc(&more, bytes) != cudaSuccess) return;
    cudaMemsetAsync(more, piece, 4096, stream);
  }
}

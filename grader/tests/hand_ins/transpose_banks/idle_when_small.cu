// expect: wrong_result mismatch
/// @file
/// Moves four elements a thread and forgets the rest, so that a matrix of one element finds it idle: wrong, but begun.
#include "transpose_banks.cuh"

__global__ void copy_fours(const float* in, float* out, std::size_t count) {
  const std::size_t i = 4 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i + 3 >= count) return;
  for (int k = 0; k < 4; ++k) out[i + k] = in[i + k];
}

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  const std::size_t count = rows * cols;
  if (count == 0) return;
  copy_fours<<<static_cast<unsigned int>((count + 1023) / 1024), 256, 0, stream>>>(in, out, count);
}

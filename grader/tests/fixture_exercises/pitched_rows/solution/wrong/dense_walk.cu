// expect: wrong_result
// Walks the rows as if they lay side by side.
#include "pitched_rows.cuh"

__global__ void dense(const float* in, float* out, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2.0f * in[i];
}

extern "C" void pitched_rows_run(const float* in, float* out, std::size_t rows, std::size_t cols, std::size_t,
                                 cudaStream_t stream) {
  dense<<<static_cast<unsigned>((rows * cols + 127) / 128), 128, 0, stream>>>(in, out, rows * cols);
}
extern "C" std::size_t pitched_rows_pitch(std::size_t cols) {
  return (4 * cols + 127) / 128 * 128;
}

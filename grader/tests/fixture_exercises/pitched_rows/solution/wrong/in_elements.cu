// expect: wrong_result refused_answer
#include "pitched_rows.cuh"

__global__ void pitched_rows_kernel(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    std::size_t pitch) {
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (row >= rows || column >= cols) return;
  out[row * (pitch / sizeof(float)) + column] = 2.0f * in[row * (pitch / sizeof(float)) + column];
}

extern "C" void pitched_rows_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                 std::size_t pitch, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const dim3 grid(static_cast<unsigned>((cols + 127) / 128), static_cast<unsigned>(rows));
  pitched_rows_kernel<<<grid, 128, 0, stream>>>(in, out, rows, cols, pitch);
}

extern "C" std::size_t pitched_rows_pitch(std::size_t cols) {
  return (cols + 31) / 32 * 32;
}

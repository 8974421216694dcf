// expect: wrong_result work_off_device
/// @file
/// No kernel at all: one strided copy a column.
#include "transpose_banks.cuh"

#include <cuda_runtime_api.h>

extern "C" void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  for (std::size_t c = 0; c < cols && rows > 0; ++c) {
    cudaMemcpy2DAsync(out + c * rows, sizeof(float), in + c, cols * sizeof(float), sizeof(float), rows,
                      cudaMemcpyDeviceToDevice, stream);
  }
}

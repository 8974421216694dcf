// expect: too_slow|wasteful
/// @file
/// top_k_registers: the four largest values of each column. The one file of this exercise that is edited and
/// handed in; the contract is in top_k_registers.cuh, the task in README.md.
#include "top_k_registers.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int kept = 4;  // values a column

/// The four largest of a column, one thread a column. Right, and no local memory: the run-time index goes into
/// an array in shared memory. But each insertion then waits for shared memory several times.
/// Launch contract: one-dimensional grid of at least cols threads, block_threads threads a block.
__global__ void top_k_registers_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  alignas(16) __shared__ float best[kept][block_threads];
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  const unsigned int t = threadIdx.x;

  for (int k = 0; k < kept; ++k) best[k][t] = -INFINITY;
  for (std::size_t row = 0; row < rows; ++row) {
    const float value = in[row * cols + column];
    if (value <= best[kept - 1][t]) continue;
    int place = kept - 1;
    while (place > 0 && best[place - 1][t] < value) {
      best[place][t] = best[place - 1][t];
      --place;
    }
    best[place][t] = value;
  }
  for (int k = 0; k < kept; ++k) out[k * cols + column] = best[k][t];
}

extern "C" void top_k_registers_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (cols == 0) return;
  const std::size_t blocks = (cols + block_threads - 1) / block_threads;
  top_k_registers_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, rows,
                                                                                          cols);
}
// <<< your code

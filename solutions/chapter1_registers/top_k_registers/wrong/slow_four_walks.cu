// expect: too_slow|wasteful
/// @file
/// top_k_registers: the four largest values of each column. The one file of this exercise that is edited and
/// handed in; the contract is in top_k_registers.cuh, the task in README.md.
#include "top_k_registers.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int kept = 4;  // values a column

/// Right, and no array at all: four walks down the column, each for the next smaller value and how often it
/// occurs. But the column is read four times.
/// Launch contract: one-dimensional grid of at least cols threads.
__global__ void top_k_registers_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= cols) return;

  float above = INFINITY;
  int place = 0;
  for (int walk = 0; walk < kept; ++walk) {
    float largest = -INFINITY;
    int times = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const float value = in[row * cols + column];
      if (value >= above) continue;
      if (value > largest) times = 0;
      if (value >= largest) {
        largest = value;
        ++times;
      }
    }
    for (; times > 0 && place < kept; --times, ++place) out[place * cols + column] = largest;
    above = largest;
  }
  for (; place < kept; ++place) out[place * cols + column] = -INFINITY;
}

extern "C" void top_k_registers_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (cols == 0) return;
  const std::size_t blocks = (cols + block_threads - 1) / block_threads;
  top_k_registers_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, rows,
                                                                                          cols);
}
// <<< your code

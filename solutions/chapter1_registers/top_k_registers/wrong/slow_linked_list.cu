// expect: too_slow|wasteful
/// @file
/// top_k_registers: the four largest values of each column. The one file of this exercise that is edited and
/// handed in; the contract is in top_k_registers.cuh, the task in README.md.
#include "top_k_registers.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int kept = 4;  // values a column

/// The four largest of a column, one thread a column, held in a list.
/// Launch contract: one-dimensional grid of at least cols threads.
__global__ void top_k_registers_kernel(const float* in, float* out, std::size_t rows, std::size_t cols) {
  const std::size_t column = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= cols) return;

  // Right, but a list in two arrays: which element is next is known only at run time, so both live in local
  // memory.
  float best[kept];
  int next[kept];  // the next larger one; kept after the largest
  for (int k = 0; k < kept; ++k) {
    best[k] = -INFINITY;
    next[k] = k + 1;
  }
  int smallest = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const float value = in[row * cols + column];
    if (value <= best[smallest]) continue;
    const int slot = smallest;  // leaves at the small end, and comes in again before the first that is larger
    best[slot] = value;
    int before = slot;
    while (next[before] < kept && best[next[before]] < value) before = next[before];
    if (before == slot) continue;
    smallest = next[slot];
    next[slot] = next[before];
    next[before] = slot;
  }
  for (int place = kept - 1, k = smallest; place >= 0; --place, k = next[k])
    out[place * cols + column] = best[k];
}

extern "C" void top_k_registers_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                                    cudaStream_t stream) {
  if (cols == 0) return;
  const std::size_t blocks = (cols + block_threads - 1) / block_threads;
  top_k_registers_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, rows,
                                                                                          cols);
}
// <<< your code

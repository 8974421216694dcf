/// @file
/// Lesson 3, "which way do the lanes walk": the largest value of each row of a matrix. First a
/// thread a row, so that the lanes stand below each other; then a warp a row, so that they
/// stand side by side. Checks both.
#include "../../chapter2_shared_memory/listings/check.cuh"

constexpr int block_threads = 256;

// [down]
/// peak[r] = largest of row r. A thread a row.
/// Launch contract: at least `rows` threads.
__global__ void peaks_thread_a_row(const float* in, float* peak, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* values = in + std::size_t{1} * row * cols;  // widened before it is multiplied
  float largest = values[0];
  for (int c = 1; c < cols; ++c) largest = fmaxf(largest, values[c]);
  peak[row] = largest;
}
// [down]

// [along]
/// The same, a warp a row.
/// Launch contract: at least 32 * `rows` threads.
__global__ void peaks_warp_a_row(const float* in, float* peak, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;  // the whole warp leaves, or none of it
  const float* values = in + std::size_t{1} * row * cols;
  float largest = values[0];
  for (int c = lane; c < cols; c += 32) largest = fmaxf(largest, values[c]);
  for (int d = 16; d > 0; d /= 2)
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, d));
  if (lane == 0) peak[row] = largest;
}
// [along]

int main() {
  constexpr int rows = 320, cols = 256;
  const std::vector<float> in = different_values(std::size_t{rows} * cols);
  std::vector<float> wanted(rows);
  for (int r = 0; r < rows; ++r) {
    wanted[r] = in[r * cols];
    for (int c = 1; c < cols; ++c) wanted[r] = fmaxf(wanted[r], in[r * cols + c]);
  }
  device_array<float> from(in), first(rows), second(rows);
  peaks_thread_a_row<<<(rows + block_threads - 1) / block_threads, block_threads>>>(
      from.data(), first.data(), rows, cols);
  peaks_warp_a_row<<<(32 * rows + block_threads - 1) / block_threads, block_threads>>>(
      from.data(), second.data(), rows, cols);
  return verdict("largest of each row, in two ways",
                 first.to_host() == wanted && second.to_host() == wanted);
}

// expect: wasteful|too_slow
/// @file
/// aligned_rows: rows of odd width, laid out as you say, and scaled. The one file of this exercise that is edited
/// and handed in; the contract is in aligned_rows.cuh, the task in README.md.
#include "aligned_rows.cuh"

// >>> your code
constexpr unsigned int warps_a_block = 8;

/// The distance from row to row, in bytes: the next multiple of a line.
extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return (width * sizeof(float) + 127) / 128 * 128;
}

/// Row r of a matrix whose rows lie pitch bytes apart.
template <typename T>
__device__ T* row_of(T* matrix, std::size_t r, std::size_t pitch) {
  return matrix + r * (pitch / sizeof(T));
}

/// Scales a row a warp. Rows begin well, but lane 0 has a turn more than the others when the width is odd. The compiler
/// takes odd turns first, so lane 0 runs one turn ahead, and each request touches five sectors.
/// Launch contract: one-dimensional grid with a warp for each row; blocks of warps_a_block warps.
__global__ void scale_rows(const float* in, float* out, std::size_t rows, std::size_t width,
                           std::size_t pitch, float factor) {
  const std::size_t r = std::size_t{blockIdx.x} * warps_a_block + threadIdx.x / 32;
  if (r >= rows) return;
  const float* const from = row_of(in, r, pitch);
  float* const to = row_of(out, r, pitch);
  const int columns = static_cast<int>(width), lane = static_cast<int>(threadIdx.x % 32);
  for (int c = lane; c < columns; c += 32) to[c] = factor * from[c];
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width,
                                 std::size_t pitch, float factor, cudaStream_t stream) {
  if (rows == 0) return;
  const auto blocks = static_cast<unsigned int>((rows + warps_a_block - 1) / warps_a_block);
  scale_rows<<<blocks, 32 * warps_a_block, 0, stream>>>(in, out, rows, width, pitch, factor);
}
// <<< your code

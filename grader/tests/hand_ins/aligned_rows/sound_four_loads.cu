// expect: pass
/// @file
/// One float an access, and four of them in flight.
#include "aligned_rows.cuh"

constexpr unsigned int block_threads = 256;
constexpr unsigned int at_once = 4;

/// The distance from row to row, in bytes: the next multiple of a line.
extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return (width * sizeof(float) + 127) / 128 * 128;
}

/// Scales four elements a thread, block_threads apart, all loaded before the first is stored. Every request begins at a sector's start.
/// Launch contract: two-dimensional grid, x covers a row with blocks of block_threads threads that do at_once elements
/// each, y any number of rows.
__global__ void scale_rows(const float* __restrict__ in, float* __restrict__ out, std::size_t rows,
                           std::size_t width, std::size_t pitch, float factor) {
  const std::size_t first = std::size_t{blockIdx.x} * (at_once * block_threads) + threadIdx.x;
  for (std::size_t r = blockIdx.y; r < rows; r += gridDim.y) {
    const float* const from = in + r * (pitch / sizeof(float));
    float* const to = out + r * (pitch / sizeof(float));
    float value[at_once];
#pragma unroll
    for (unsigned int k = 0; k < at_once; ++k) {
      if (first + k * block_threads < width) value[k] = from[first + k * block_threads];
    }
#pragma unroll
    for (unsigned int k = 0; k < at_once; ++k) {
      if (first + k * block_threads < width) to[first + k * block_threads] = factor * value[k];
    }
  }
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width,
                                 std::size_t pitch, float factor, cudaStream_t stream) {
  if (rows == 0) return;
  constexpr std::size_t most = 65'535;  // of a grid's second dimension
  const dim3 grid(
      static_cast<unsigned int>((width + at_once * block_threads - 1) / (at_once * block_threads)),
      static_cast<unsigned int>(rows < most ? rows : most));
  scale_rows<<<grid, block_threads, 0, stream>>>(in, out, rows, width, pitch, factor);
}

/// @file
/// aligned_rows: rows of odd width, laid out as you say, and scaled. The one file of this exercise that is edited
/// and handed in; the contract is in aligned_rows.cuh, the task in README.md.
#include "aligned_rows.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr std::size_t row_alignment = 128;  // bytes: a line, four sectors

/// The distance from row to row, in bytes: the next multiple of a line. So every row begins at a multiple of 16, and
/// 16-byte accesses are allowed.
extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return (width * sizeof(float) + row_alignment - 1) / row_alignment * row_alignment;
}

/// Scales four elements a thread, 16 bytes an access; the one to three that are left of a row go to the first threads
/// of its last block.
/// Launch contract: two-dimensional grid, x covers the whole vectors of a row (at least one block), y any number of
/// rows; blocks of block_threads threads; rows begin at multiples of 16 bytes.
__global__ void __launch_bounds__(block_threads)
    scale_rows(const float* __restrict__ in, float* __restrict__ out, std::size_t rows, std::size_t width,
               std::size_t pitch, float factor) {
  const std::size_t v = std::size_t{blockIdx.x} * block_threads + threadIdx.x, vectors = width / 4;
  const bool has_rest = blockIdx.x == gridDim.x - 1 && threadIdx.x < width % 4;
  for (std::size_t r = blockIdx.y; r < rows; r += gridDim.y) {
    const float* const from = in + r * (pitch / sizeof(float));
    float* const to = out + r * (pitch / sizeof(float));
    if (v < vectors) {
      const float4 value = reinterpret_cast<const float4*>(from)[v];
      reinterpret_cast<float4*>(to)[v] =
          make_float4(factor * value.x, factor * value.y, factor * value.z, factor * value.w);
    }
    if (has_rest) to[4 * vectors + threadIdx.x] = factor * from[4 * vectors + threadIdx.x];
  }
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width,
                                 std::size_t pitch, float factor, cudaStream_t stream) {
  if (rows == 0) return;
  constexpr std::size_t most = 65'535;  // of a grid's second dimension
  const std::size_t across = (width / 4 + block_threads - 1) / block_threads;
  const dim3 grid(static_cast<unsigned int>(across > 0 ? across : 1),
                  static_cast<unsigned int>(rows < most ? rows : most));
  scale_rows<<<grid, block_threads, 0, stream>>>(in, out, rows, width, pitch, factor);
}
// <<< your code

// expect: wasteful off_the_idea
/// @file
/// aligned_rows: rows of odd width, laid out as you say, and scaled. The one file of this exercise that is edited
/// and handed in; the contract is in aligned_rows.cuh, the task in README.md.
#include "aligned_rows.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// The distance from row to row, in bytes: no gap.
extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return width * sizeof(float);
}

/// Scales four elements a thread, 16 bytes an access, as if the matrix were one long row. Without gaps between rows it is
/// one, so no request wastes a byte. Only that no row begins anywhere in particular, and this exercise is about rows.
/// Launch contract: one-dimensional grid of at least count / 4 threads, rounded up.
__global__ void scale_all(const float* in, float* out, std::size_t count, float factor) {
  const std::size_t i = 4 * (std::size_t{blockIdx.x} * block_threads + threadIdx.x);
  if (i + 4 <= count) {
    const float4 v = *reinterpret_cast<const float4*>(in + i);
    *reinterpret_cast<float4*>(out + i) = make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
  } else {
    for (std::size_t k = i; k < count; ++k) out[k] = factor * in[k];
  }
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width,
                                 std::size_t, float factor, cudaStream_t stream) {
  const std::size_t count = rows * width, threads = (count + 3) / 4;
  if (count == 0) return;
  scale_all<<<static_cast<unsigned int>((threads + block_threads - 1) / block_threads), block_threads, 0,
              stream>>>(in, out, count, factor);
}
// <<< your code

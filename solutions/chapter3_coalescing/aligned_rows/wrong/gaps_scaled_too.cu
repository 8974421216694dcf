// expect: wrong_result uninitialised_read
/// @file
/// aligned_rows: rows of odd width, laid out as you say, and scaled. The one file of this exercise that is edited
/// and handed in; the contract is in aligned_rows.cuh, the task in README.md.
#include "aligned_rows.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return (width + 7) / 8 * 32;
}

/// Scales the gaps between rows like everything else: no row arithmetic at all. But the gaps hold nothing, and reading
/// them is reading memory that nobody wrote.
__global__ void scale_all(const float4* in, float4* out, std::size_t count, float factor) {
  const std::size_t i = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= count) return;
  const float4 v = in[i];
  out[i] = make_float4(factor * v.x, factor * v.y, factor * v.z, factor * v.w);
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t,
                                 std::size_t pitch, float factor, cudaStream_t stream) {
  const std::size_t count = rows * pitch / sizeof(float4);
  if (count == 0) return;
  scale_all<<<static_cast<unsigned int>((count + block_threads - 1) / block_threads), block_threads, 0,
              stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), count, factor);
}
// <<< your code

// expect: pass
/// @file
/// The starter's warp a row, with as many turns for every lane; cooperative groups, a smallest pitch, a stream of its own.
#include "aligned_rows.cuh"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

constexpr unsigned int block_threads = 256;

extern "C" std::size_t aligned_rows_choose_pitch(std::size_t width) {
  return (width + 7) / 8 * 32;
}

__global__ void scale_rows(const float* in, float* out, std::size_t rows, std::size_t width,
                           std::size_t pitch, float factor) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const std::size_t warps = std::size_t{gridDim.x} * warp.meta_group_size();
  for (std::size_t r = std::size_t{blockIdx.x} * warp.meta_group_size() + warp.meta_group_rank(); r < rows;
       r += warps) {
    const auto* const from = reinterpret_cast<const float*>(reinterpret_cast<const char*>(in) + r * pitch);
    auto* const to = reinterpret_cast<float*>(reinterpret_cast<char*>(out) + r * pitch);
    std::size_t first = 0;
    for (; first + 128 <= width; first += 128) {
      float4 v = reinterpret_cast<const float4*>(from + first)[warp.thread_rank()];
      v.x *= factor, v.y *= factor, v.z *= factor, v.w *= factor;
      reinterpret_cast<float4*>(to + first)[warp.thread_rank()] = v;
    }
    for (; first < width; first += 32) {
      const std::size_t c = first + warp.thread_rank();
      if (c < width) to[c] = factor * from[c];
    }
  }
}

extern "C" void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width,
                                 std::size_t pitch, float factor, cudaStream_t stream) {
  if (rows == 0) return;
  cudaStream_t own = nullptr;
  cudaEvent_t asked = nullptr, done = nullptr;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&asked, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(asked, stream);
  cudaStreamWaitEvent(own, asked, 0);
  const std::size_t blocks = (rows + 7) / 8;
  scale_rows<<<static_cast<unsigned int>(blocks < 50'000 ? blocks : 50'000), block_threads, 0, own>>>(
      in, out, rows, width, pitch, factor);
  cudaEventRecord(done, own);
  cudaStreamWaitEvent(stream, done, 0);
  cudaEventDestroy(asked);
  cudaEventDestroy(done);
  cudaStreamDestroy(own);
}

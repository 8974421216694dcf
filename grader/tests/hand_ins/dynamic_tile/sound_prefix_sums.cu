// expect: pass
/// @file
/// For a large radius, sums up to each place of the tile and then one difference an output: the work does not grow with the radius.
#include "dynamic_tile.cuh"

#include <cooperative_groups.h>

namespace {

constexpr unsigned int threads = 256;

__global__ void moving_sums(const float* in, float* out, std::size_t n, unsigned int radius) {
  extern __shared__ float tile[];
  const auto block = cooperative_groups::this_thread_block();
  const unsigned int t = block.thread_rank(), places = dynamic_tile_outputs + 2 * radius;
  const std::size_t first = std::size_t{blockIdx.x} * dynamic_tile_outputs;
  for (unsigned int p = t; p < places; p += threads) {
    const std::size_t i = first + p - radius;
    tile[p] = i < n ? in[i] : 0.0f;
  }
  block.sync();
  if (radius <= 32) {
    for (unsigned int p = t; p < dynamic_tile_outputs; p += threads) {
      float sum = 0.0f;
      for (unsigned int d = 0; d <= 2 * radius; ++d) sum += tile[p + d];
      if (first + p < n) out[first + p] = sum;
    }
    return;
  }
  // Each thread adds up along a piece, one thread along the pieces' ends: all in the tile, which may fill the block's memory.
  const unsigned int piece = (places + threads - 1) / threads;
  const unsigned int begin = min(t * piece, places), end = min(begin + piece, places);
  float sum = 0.0f;
  for (unsigned int p = begin; p < end; ++p) tile[p] = sum += tile[p];
  block.sync();
  if (t == 0) {
    float all = 0.0f;
    for (unsigned int last = piece; last < places + piece; last += piece) {
      float& own = tile[min(last, places) - 1];
      own = all += own;
    }
  }
  block.sync();
  const float before = begin > 0 && begin < end ? tile[begin - 1] : 0.0f;
  for (unsigned int p = begin; p + 1 < end; ++p) tile[p] += before;
  block.sync();
  for (unsigned int p = t; p < dynamic_tile_outputs; p += threads)
    if (first + p < n) out[first + p] = tile[p + 2 * radius] - (p > 0 ? tile[p - 1] : 0.0f);
}

}  // namespace

extern "C" int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius,
                                cudaStream_t stream) {
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  const std::size_t bytes = 4 * (dynamic_tile_outputs + 2 * radius);
  if (bytes > static_cast<std::size_t>(most)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned int>((n + dynamic_tile_outputs - 1) / dynamic_tile_outputs);
  cudaFuncSetAttribute(moving_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  moving_sums<<<blocks, threads, bytes, stream>>>(in, out, n, static_cast<unsigned int>(radius));
  return cudaGetLastError();
}

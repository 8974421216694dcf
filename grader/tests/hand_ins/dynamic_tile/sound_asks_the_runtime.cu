// expect: pass|too_slow
/// @file
/// Knows no limit: it asks the kernel for what it needs, and hands on what the runtime answers. The tile comes by asynchronous copies, which fill up with zeros.
/// Sound, and too slow on an H200, 0.45 of the reference: 17 single loads from the tile an output.
#include "dynamic_tile.cuh"

#include <cuda_pipeline.h>

namespace {

constexpr unsigned int threads = 512;

__global__ void moving_sums(const float* in, float* out, std::size_t n, unsigned int radius) {
  extern __shared__ float tile[];
  const std::size_t first = std::size_t{blockIdx.x} * dynamic_tile_outputs;
  for (unsigned int p = threadIdx.x; p < dynamic_tile_outputs + 2 * radius; p += threads) {
    const std::size_t i = first + p - radius;
    __pipeline_memcpy_async(tile + p, i < n ? in + i : in, 4, i < n ? 0 : 4);
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  for (unsigned int p = threadIdx.x; p < dynamic_tile_outputs; p += threads) {
    float sum = 0.0f;
    for (unsigned int d = 0; d <= 2 * radius; ++d) sum += tile[p + d];
    if (first + p < n) out[first + p] = sum;
  }
}

}  // namespace

extern "C" int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius,
                                cudaStream_t stream) {
  const std::size_t bytes = 4 * (dynamic_tile_outputs + 2 * radius);
  if (bytes >> 31 != 0) return cudaErrorInvalidValue;
  const cudaError_t asked =
      cudaFuncSetAttribute(moving_sums, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
  if (asked != cudaSuccess) {
    cudaGetLastError();
    return asked;
  }
  if (n == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned int>((n + dynamic_tile_outputs - 1) / dynamic_tile_outputs);
  moving_sums<<<blocks, threads, bytes, stream>>>(in, out, n, static_cast<unsigned int>(radius));
  return cudaGetLastError();
}

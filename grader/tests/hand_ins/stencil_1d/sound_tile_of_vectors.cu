// expect: pass
/// @file
/// The plain tile, filled and read sixteen bytes at a time, on a stream of its own that is joined to the given one.
#include "stencil_1d.cuh"

constexpr int radius = 8;
constexpr unsigned int block_threads = 256;
constexpr unsigned int tile_outputs = 4 * block_threads;
constexpr unsigned int vectors = (tile_outputs + 2 * radius) / 4;

__global__ void window_sums(const float* in, float* out, std::size_t n) {
  __shared__ float4 tile[vectors];
  const std::size_t first = std::size_t{blockIdx.x} * tile_outputs;
  const auto* const from = reinterpret_cast<const float4*>(in + first - radius);
  for (unsigned int k = threadIdx.x; k < vectors; k += block_threads)
    if (first + 4 * k < n + 2 * radius) tile[k] = from[k];  // the last one may end among the ghosts
  __syncthreads();

  const std::size_t own = first + 4 * threadIdx.x;
  if (own >= n) return;
  float window[20];
  for (unsigned int k = 0; k < 5; ++k) {
    const float4 v = tile[threadIdx.x + k];
    window[4 * k] = v.x, window[4 * k + 1] = v.y, window[4 * k + 2] = v.z, window[4 * k + 3] = v.w;
  }
  float sums[4] = {};
  for (int k = 0; k < 4; ++k)
    for (int d = 0; d <= 2 * radius; ++d) sums[k] += window[k + d];
  if (own + 4 <= n) {
    *reinterpret_cast<float4*>(out + own) = {sums[0], sums[1], sums[2], sums[3]};
  } else {
    for (int k = 0; k < 3; ++k)
      if (own + k < n) out[own + k] = sums[k];
  }
}

extern "C" void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  cudaStream_t own = nullptr;
  cudaEvent_t before = nullptr, after = nullptr;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  cudaEventRecord(before, stream);
  cudaStreamWaitEvent(own, before, 0);
  window_sums<<<static_cast<unsigned int>((n + tile_outputs - 1) / tile_outputs), block_threads, 0, own>>>(
      in, out, n);
  cudaEventRecord(after, own);
  cudaStreamWaitEvent(stream, after, 0);
  cudaEventDestroy(before);
  cudaEventDestroy(after);
  cudaStreamDestroy(own);
}

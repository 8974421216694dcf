// expect: pass
// on gpu: too_slow|inconclusive
/// @file
/// Sound in another style: both arrays in one call, read-mostly besides, a cooperative group for each part, and an event that the
/// host waits for. Taking the advice back in each call costs the card more than it brings, now more, now less.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "unified_prefetch.cuh"

namespace cg = cooperative_groups;

/// A tile of 16 threads for each part. Launch contract: one-dimensional grid of at least 16 threads a part.
__global__ void largest(const float* __restrict__ readings, float* __restrict__ peaks, std::size_t n) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const std::size_t part = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 16;
  const std::size_t first = part * part_readings;
  float peak = -2.0f;
  for (std::size_t i = first + tile.thread_rank(); i < n && i < first + part_readings; i += 16)
    peak = fmaxf(peak, readings[i]);
  peak = cg::reduce(tile, peak, cg::greater<float>());
  if (tile.thread_rank() == 0 && first < n) peaks[part] = peak;
}

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0};
  cudaGetDevice(&gpu.id);
  cudaMemAdvise(readings, n * sizeof(float), cudaMemAdviseSetReadMostly, gpu);
  void* arrays[] = {const_cast<float*>(readings), peaks};
  std::size_t bytes[] = {n * sizeof(float), parts * sizeof(float)}, first_of_location[] = {0};
  cudaMemPrefetchBatchAsync(arrays, bytes, 2, &gpu, first_of_location, 1, 0, stream);
  largest<<<static_cast<unsigned int>((parts + 15) / 16), 256, 0, stream>>>(readings, peaks, n);
  cudaEvent_t done = nullptr;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaEventRecord(done, stream);
  cudaEventSynchronize(done);
  cudaEventDestroy(done);
  cudaMemAdvise(readings, n * sizeof(float), cudaMemAdviseUnsetReadMostly, gpu);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
}

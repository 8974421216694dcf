// expect: too_slow
// says: fault
/// @file
/// unified_prefetch: the largest reading of each part, in memory that host and device share. The one file of this exercise
/// that is edited and handed in; the contract is in unified_prefetch.cuh, the task in README.md.
#include "unified_prefetch.cuh"

// >>> your code
constexpr unsigned int block_threads = 256, block_parts = block_threads / 32;

/// Asks for one reading of each page, so that the other kernel finds all pages there: right, and no page comes faster for it.
/// Launch contract: one-dimensional grid of at least a thread a page.
__global__ void touch_pages(const float* readings, float* peaks, std::size_t n) {
  constexpr std::size_t page_floats = 1024;
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * page_floats;
  if (i < n) peaks[i / part_readings] = readings[i];
}

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  const auto blocks = static_cast<unsigned int>((parts + block_parts - 1) / block_parts);

  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};

  touch_pages<<<static_cast<unsigned int>((n + 262143) / 262144), block_threads, 0, stream>>>(readings, peaks,
                                                                                              n);
  peaks_of_parts<<<blocks, block_threads, 0, stream>>>(readings, peaks, n);
  cudaMemPrefetchAsync(peaks, parts * sizeof(float), host, 0, stream);  // before the host asks
  cudaStreamSynchronize(stream);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
}
// <<< your code

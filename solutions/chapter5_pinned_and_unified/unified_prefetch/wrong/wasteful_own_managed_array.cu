// expect: wasteful|too_slow
/// @file
/// unified_prefetch: the largest reading of each part, in memory that host and device share. The one file of this exercise
/// that is edited and handed in; the contract is in unified_prefetch.cuh, the task in README.md.
#include "unified_prefetch.cuh"

// >>> your code
constexpr unsigned int block_threads = 256, block_parts = block_threads / 32;

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  const auto blocks = static_cast<unsigned int>((parts + block_parts - 1) / block_parts);

  int device = 0;
  cudaGetDevice(&device);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, device};
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};

  // Right, and all bytes of a managed array are prefetched. It is not the readings' own.
  float* own = nullptr;
  cudaMallocManaged(&own, n * sizeof(float));
  cudaMemcpyAsync(own, readings, n * sizeof(float), cudaMemcpyDefault, stream);
  cudaMemPrefetchAsync(own, n * sizeof(float), gpu, 0, stream);  // all pages, before the kernel asks
  peaks_of_parts<<<blocks, block_threads, 0, stream>>>(own, peaks, n);
  cudaMemPrefetchAsync(peaks, parts * sizeof(float), host, 0, stream);  // before the host asks
  cudaStreamSynchronize(stream);
  cudaFree(own);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
}
// <<< your code

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

  // TODO: right, and short. But each page of the readings lies in the host's memory until a thread asks for it, and that
  // thread waits. You know before the launch which pages will be wanted, and where. Say so.
  peaks_of_parts<<<blocks, block_threads, 0, stream>>>(readings, peaks, n);

  cudaStreamSynchronize(stream);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
}
// <<< your code

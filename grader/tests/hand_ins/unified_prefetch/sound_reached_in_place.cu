// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: the device gets a mapping of all pages, and the kernel reaches them where they are. Nothing moves.
#include "unified_prefetch.cuh"

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  int device = 0;
  cudaGetDevice(&device);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, device};
  cudaMemAdvise(readings, n * sizeof(float), cudaMemAdviseSetAccessedBy, gpu);
  cudaMemAdvise(peaks, parts * sizeof(float), cudaMemAdviseSetAccessedBy, gpu);
  peaks_of_parts<<<static_cast<unsigned int>((parts + 3) / 4), 128, 0, stream>>>(readings, peaks, n);
  cudaStreamSynchronize(stream);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
}

// expect: wrong_result wrong_on_second_call
/// @file
/// Keeps its last answer, and knows its call by a look at the first reading. Data that are new all over never have a known face: some of the
/// second call's readings are the first call's, that one among them.
#include "unified_prefetch.cuh"

static std::size_t known_n = 0;
static float known_level = 0.0f, known_reading = 0.0f;
static std::uint32_t known_alarms = 0;

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  if (n == known_n && level == known_level && readings[0] == known_reading) {
    *alarms = known_alarms;
    return;
  }
  known_n = n;
  known_level = level;
  known_reading = readings[0];
  int device = 0;
  cudaGetDevice(&device);
  cudaMemPrefetchAsync(readings, n * sizeof(float), cudaMemLocation{cudaMemLocationTypeDevice, device}, 0,
                       stream);
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  peaks_of_parts<<<static_cast<unsigned int>((parts + 7) / 8), 256, 0, stream>>>(readings, peaks, n);
  cudaStreamSynchronize(stream);
  for (std::size_t part = 0; part < parts; ++part) *alarms += peaks[part] > level;
  known_alarms = *alarms;
}

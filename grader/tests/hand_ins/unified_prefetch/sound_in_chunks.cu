// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: pages come in four chunks on a stream of its own, and each chunk's kernel waits for its pages alone. The
/// results have a scratch array in device memory, and a copy brings them home.
#include "unified_prefetch.cuh"

extern "C" void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                                     std::uint32_t* alarms, cudaStream_t stream) {
  *alarms = 0;
  if (n == 0) return;
  const std::size_t parts = (n + part_readings - 1) / part_readings;
  int device = 0;
  cudaGetDevice(&device);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, device};
  cudaStream_t pages = nullptr;
  cudaEvent_t begun = nullptr, here = nullptr;
  cudaStreamCreateWithFlags(&pages, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&begun, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&here, cudaEventDisableTiming);
  float* found = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&found), parts * sizeof(float), stream);
  cudaEventRecord(begun, stream);
  cudaStreamWaitEvent(pages, begun);
  for (std::size_t chunk = 0; chunk < 4; ++chunk) {
    const std::size_t part = parts * chunk / 4, next = parts * (chunk + 1) / 4, first = part * part_readings;
    if (part == next) continue;
    const std::size_t count = chunk == 3 ? n - first : (next - part) * part_readings;
    cudaMemPrefetchAsync(readings + first, count * sizeof(float), gpu, 0, pages);
    cudaEventRecord(here, pages);
    cudaStreamWaitEvent(stream, here);
    peaks_of_parts<<<static_cast<unsigned int>((next - part + 7) / 8), 256, 0, stream>>>(readings + first,
                                                                                         found + part, count);
  }
  cudaMemcpyAsync(peaks, found, parts * sizeof(float), cudaMemcpyDefault, stream);
  cudaFreeAsync(found, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t k = 0; k < parts; ++k) *alarms += peaks[k] > level ? 1 : 0;
  cudaEventDestroy(begun);
  cudaEventDestroy(here);
  cudaStreamDestroy(pages);
}

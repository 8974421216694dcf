/// @file
/// histogram_shared by cub::DeviceHistogram::HistogramEven, for `course bench`. Its temporary memory is allocated once
/// for each length.
#include <cub/device/device_histogram.cuh>

#include "histogram_shared.cuh"

extern "C" void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n,
                                     cudaStream_t stream) {
  constexpr int levels = 257;  // borders of 256 bins
  static void* scratch = nullptr;
  static std::size_t scratch_bytes = 0;
  const auto samples = static_cast<long long>(n);
  std::size_t wanted = 0;
  cub::DeviceHistogram::HistogramEven(nullptr, wanted, in, counts, levels, 0, 256, samples, stream);
  if (wanted > scratch_bytes) {
    cudaFree(scratch);
    cudaMalloc(&scratch, wanted);
    scratch_bytes = wanted;
  }
  cub::DeviceHistogram::HistogramEven(scratch, wanted, in, counts, levels, 0, 256, samples, stream);
}

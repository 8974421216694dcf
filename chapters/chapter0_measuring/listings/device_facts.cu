/// @file
/// Lesson 0, listing "what does my card say of itself": the figures that this lesson calculates
/// with. Checks that they are there.
#include <cstdio>

// [facts]
int attribute(cudaDeviceAttr which) {
  int value = 0;
  cudaDeviceGetAttribute(&value, which, 0);
  return value;
}

/// Bytes a second that the memory's pins could move:
/// two transfers a clock, each as wide as the bus.
double peak_bytes_per_second() {
  const double clock_hz = attribute(cudaDevAttrMemoryClockRate) * 1e3;        // kHz
  const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0;  // bits
  return 2 * clock_hz * bus_bytes;
}
// [facts]

int main() {
  const double peak = peak_bytes_per_second();
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  std::printf("compute capability         %d.%d\n",
              attribute(cudaDevAttrComputeCapabilityMajor),
              attribute(cudaDevAttrComputeCapabilityMinor));
  std::printf("SMs                        %d\n", sms);
  std::printf("threads an SM holds        %d\n",
              attribute(cudaDevAttrMaxThreadsPerMultiProcessor));
  std::printf("registers an SM has        %d\n",
              attribute(cudaDevAttrMaxRegistersPerMultiprocessor));
  std::printf("shared memory of an SM     %d bytes\n",
              attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
  std::printf("a block may have           %d bytes of it, by asking\n",
              attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
  std::printf("L2 cache                   %d bytes\n", attribute(cudaDevAttrL2CacheSize));
  std::printf("peak of the memory         %.0f GB/s\n", peak / 1e9);
  return peak > 0 && sms > 0 ? 0 : 1;
}

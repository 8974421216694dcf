// expect: pass
/// @file
/// Another sound form: the last kernel first, each time asked for twice, and a line printed for the report.
#include "effective_bandwidth.cuh"

#include <cstdio>

extern "C" void effective_bandwidth_run(const float* in, float* out, std::size_t n, int memory_clock_khz,
                                        int bus_width_bits, double* bytes, double* gigabytes_per_second,
                                        double* share_of_peak, cudaStream_t stream) {
  for (int k = kernels - 1; k >= 0; --k) {
    const float a_float = 4;
    const double work = static_cast<double>(n);
    bytes[k] = a_float * (k == kernel_copy ? 2 * work : k == kernel_sum ? 9 * (n / 8) : 2 * (n / 16));
    gigabytes_per_second[k] = bytes[k] / time_kernel(k, in, out, n, stream) / 1e6;
    share_of_peak[k] =
        bytes[k] / time_kernel(k, in, out, n, stream) / (0.25 * memory_clock_khz * bus_width_bits);
  }
  std::printf("copy: %.1f GB/s, %.2f of the peak\n", gigabytes_per_second[kernel_copy],
              share_of_peak[kernel_copy]);
}

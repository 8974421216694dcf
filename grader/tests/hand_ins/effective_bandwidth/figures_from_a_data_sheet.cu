// expect: wrong_result
/// @file
/// Launches and times all that is asked for, and then says what a data sheet says.
#include "effective_bandwidth.cuh"

extern "C" void effective_bandwidth_run(const float* in, float* out, std::size_t n, int, int, double* bytes,
                                        double* gigabytes_per_second, double* share_of_peak,
                                        cudaStream_t stream) {
  for (int k = 0; k < kernels; ++k) {
    time_kernel(k, in, out, n, stream);
    bytes[k] = k == kernel_copy ? 8.0 * n : k == kernel_sum ? 36.0 * (n / 8) : 8.0 * (n / 16);
    gigabytes_per_second[k] = 4814;
    share_of_peak[k] = 1;
  }
}

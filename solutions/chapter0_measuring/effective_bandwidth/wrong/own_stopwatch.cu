// expect: wrong_result
// says: let time_kernel() launch it
/// @file
/// effective_bandwidth: how fast three kernels move their bytes. The one file of this exercise that is edited and handed
/// in; the contract is in effective_bandwidth.cuh, the task in README.md.
#include "effective_bandwidth.cuh"

// >>> your code
#include <chrono>

// Wrong: the host's clock around a launch that nobody waits for. It times the queueing, and no figure can be compared with
// those of a time that was handed out.
extern "C" void effective_bandwidth_run(const float* in, float* out, std::size_t n, int memory_clock_khz,
                                        int bus_width_bits, double* bytes, double* gigabytes_per_second,
                                        double* share_of_peak, cudaStream_t stream) {
  const double peak = 2 * (memory_clock_khz * 1e3) * (bus_width_bits / 8.0);
  const std::size_t threads[kernels] = {n, n / sum_rows, n / copy_stride};
  const std::size_t floats[kernels] = {2 * n, (sum_rows + 1) * (n / sum_rows), 2 * (n / copy_stride)};
  for (int k = 0; k < kernels; ++k) {
    const auto blocks = static_cast<unsigned int>((threads[k] + 255) / 256);
    const auto begun = std::chrono::steady_clock::now();
    if (k == kernel_copy) copy<<<blocks, 256, 0, stream>>>(in, out, threads[k]);
    if (k == kernel_sum) sum<<<blocks, 256, 0, stream>>>(in, out, threads[k]);
    if (k == kernel_strided_copy) strided_copy<<<blocks, 256, 0, stream>>>(in, out, threads[k]);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
    bytes[k] = 4.0 * static_cast<double>(floats[k]);
    gigabytes_per_second[k] = bytes[k] / took.count() / 1e9;
    share_of_peak[k] = bytes[k] / took.count() / peak;
  }
}
// <<< your code

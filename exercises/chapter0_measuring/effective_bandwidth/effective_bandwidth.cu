/// @file
/// effective_bandwidth: how fast three kernels move their bytes. The one file of this exercise that is edited and handed
/// in; the contract is in effective_bandwidth.cuh, the task in README.md.
#include "effective_bandwidth.cuh"

// >>> your code
extern "C" void effective_bandwidth_run(const float* in, float* out, std::size_t n, int memory_clock_khz,
                                        int bus_width_bits, double* bytes, double* gigabytes_per_second,
                                        double* share_of_peak, cudaStream_t stream) {
  // TODO: for each of the three kernels: let time_kernel() launch and time it, say how many bytes one launch asks for,
  // how many gigabytes a second that is, and what share of the memory's peak. Mind the units: they stand in the
  // contract. Whatever you print appears in ./course report effective_bandwidth.
}
// <<< your code

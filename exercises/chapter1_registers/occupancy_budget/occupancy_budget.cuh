/// @file
/// Contract of occupancy_budget: the one function that `occupancy_budget.cu` provides, and the body of its kernels.
/// Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a
/// host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

#ifdef __CUDACC__
#define OCCUPANCY_BUDGET_BODY __host__ __device__
#else
#define OCCUPANCY_BUDGET_BODY
#endif

/// The echo of a sample comes back so many samples later. Until then it has to be kept somewhere.
constexpr std::size_t echo_delay = 160;

/// One output: the sample, and half of the output of echo_delay samples ago (0 before there was one).
OCCUPANCY_BUDGET_BODY inline float with_echo(float sample, float earlier) {
  return sample + 0.5f * earlier;
}

extern "C" {

/// @brief Gives each of many channels its echo, in place: data[t][c] becomes data[t][c] + half of what
/// data[t - 160][c] has become. The first 160 samples stay as they are.
///
/// Predicted traffic: 4 @p samples @p channels bytes read and as many written, each element once; the grader
/// counts 8 @p samples @p channels bytes as moved. Kernels load no more than 1.05 times the bytes of the array: an
/// output that is needed again is kept, and not read back. They have no stack frame and spill no register, by
/// ptxas -v for the GPU at hand.
///
/// @param[in,out] data  Samples of all channels before the call, with echo after it. Device memory, shape @p samples
///                      x @p channels floats, row-major, no padding between rows: a row holds one sample of each
///                      channel. data[0][0] is aligned to 128 bytes; where @p channels is no multiple of 32, later
///                      rows are not. Any finite floats.
/// @param[in]  samples  Rows. [elements] Any number; 0 is legal: nothing is written.
/// @param[in]  channels Columns. [elements] Any number up to 2^31 - 1; 0 is legal: nothing is written.
/// @param[in]  stream   Stream on which all work is queued. The call may return before the work is done.
/// @note Each value is compared with one of double precision, at 1e-6 of the sum of the magnitudes that are added
///       up in it: with_echo() in single precision is exact enough, half precision is not.
void occupancy_budget_run(float* data, std::size_t samples, std::size_t channels, cudaStream_t stream);

}  // extern "C"

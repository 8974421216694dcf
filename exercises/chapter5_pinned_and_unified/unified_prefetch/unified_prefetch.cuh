/// @file
/// Contract of unified_prefetch: the one function that `unified_prefetch.cu` provides, and the kernel that it may launch.
/// Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a host
/// compiler both read it.
#pragma once

#include <cstddef>
#include <cstdint>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Readings in a part. The last part may have fewer.
constexpr std::size_t part_readings = 64;

extern "C" {

/// @brief Finds the largest reading of each part, on the device, and counts on the host how many of these are above a
/// level.
///
/// The host has written the readings, so all pages are in its memory when the call begins, those of @p peaks too.
/// Predicted traffic: 4 @p n bytes up the host link, and 4 bytes for each part down. Timed by the judge's own clock,
/// from the call until the whole device is idle.
///
/// @param[in]  readings Numbers in [-1, 1). Managed memory, shape @p n floats, aligned to 256 bytes. Read only: must be
///                      unchanged afterwards. Kernels load them from here: there is no copy. Does not overlap @p peaks.
/// @param[out] peaks    The largest reading of each part. Managed memory, shape ceil(@p n / 64) floats, aligned to 256
///                      bytes. Holds arbitrary values before the call.
/// @param[in]  n        Number of readings. [elements] 0 is legal: @p alarms is 0 then.
/// @param[in]  level    A peak above it is an alarm.
/// @param[out] alarms   How many peaks are above @p level. Ordinary host memory, 1 number. It is there when the call
///                      returns.
/// @param[in]  stream   Stream on which the work is queued; streams of your own are welcome, if they are joined to it.
/// @note Never more managed memory than the card has free. Compared bit for bit.
void unified_prefetch_run(const float* readings, float* peaks, std::size_t n, float level,
                          std::uint32_t* alarms, cudaStream_t stream);

}  // extern "C"

#ifdef __CUDACC__

/// Given: peaks[k] is the largest of the up to 64 readings of part k. A warp for each part.
///
/// It works on any range that begins with a part: `readings + 64 * k`, `peaks + k`, and as many readings as you like.
/// Launch contract: one-dimensional grid of at least 32 threads a part, blocks of whole warps. n = 0 must not be launched.
__global__ void peaks_of_parts(const float* readings, float* peaks, std::size_t n) {
  constexpr unsigned int warp = 32;
  const std::size_t part = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp;
  const std::size_t first = part * part_readings;
  if (first >= n) return;
  const std::size_t end = n - first < part_readings ? n : first + part_readings;
  float peak = -2.0f;  // below all readings
  for (std::size_t i = first + threadIdx.x % warp; i < end; i += warp) peak = fmaxf(peak, readings[i]);
  for (unsigned int step = warp / 2; step > 0; step /= 2)
    peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, step));
  if (threadIdx.x % warp == 0) peaks[part] = peak;
}

#endif  // __CUDACC__

/// @file
/// Contract of overlap_pipeline: the three functions that `overlap_pipeline.cu` provides, and the kernel that it
/// launches. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that
/// nvcc and a host compiler both read it.
#pragma once

#include <cstddef>
#include <cstdint>

/// What you keep between set-up and teardown: device memory, streams, events. You define it in your file.
struct overlap_pipeline_state;

extern "C" {

/// @brief Makes what overlap_pipeline_run() needs. Called once, before it, and not timed. Launches no kernel.
/// @param[in] n Numbers that each later run will work on. [elements] 0 is legal.
/// @return the state that overlap_pipeline_run() and overlap_pipeline_teardown() get.
overlap_pipeline_state* overlap_pipeline_setup(std::size_t n);

/// @brief Sends @p n numbers to the device, has the given kernel scramble them there, and brings them back. Timed by
/// the judge's own clock, from the call until the whole device is idle.
///
/// Predicted traffic: 4 @p n bytes up and 4 @p n bytes down the host link, by copies; the kernel is set to take
/// about as long as one of the two. During at least half of the copy time another engine is at work.
///
/// @param[in]  state  What overlap_pipeline_setup() returned. May be used for several runs, one after the other.
/// @param[in]  in     Numbers. Page-locked host memory, shape @p n, aligned to 256 bytes. Read only: must be
///                    unchanged afterwards. Does not overlap @p out.
/// @param[out] out    The scrambled numbers, out[i] from in[i]. Page-locked host memory, shape @p n, aligned to 256
///                    bytes. Holds arbitrary values before the call.
/// @param[in]  n      As in set-up. [elements] 0 is legal: nothing is written.
/// @param[in]  rounds Rounds of scrambling for every number; goes to the kernel. [rounds] At least 1.
/// @note All streams are your own. The call may return before the work is done; the judge waits for the device.
///       Compared bit for bit.
void overlap_pipeline_run(overlap_pipeline_state* state, const std::uint32_t* in, std::uint32_t* out,
                          std::size_t n, std::uint32_t rounds);

/// @brief Frees what overlap_pipeline_setup() made. Called once, when the device is idle.
/// @param[in] state What overlap_pipeline_setup() returned.
void overlap_pipeline_teardown(overlap_pipeline_state* state);

}  // extern "C"

#ifdef __CUDACC__

/// Given: scrambles @p n numbers in device memory, in place; each depends on itself alone.
///
/// A round flips bits and multiplies, modulo 2^32: no two numbers become the same, and no formula shortens many rounds.
/// Rounds are chosen so that all numbers take about as long as their way over the host link.
/// Launch contract: one-dimensional grid of at least n threads. n = 0 must not be launched.
__global__ void scramble(std::uint32_t* values, std::size_t n, std::uint32_t rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t x = values[i];
  for (std::uint32_t k = 0; k < rounds; ++k) x = (x ^ 0x9e3779b9u) * 0x85ebca6bu;
  values[i] = x;
}

#endif  // __CUDACC__

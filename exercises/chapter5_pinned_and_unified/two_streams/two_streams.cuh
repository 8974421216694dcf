/// @file
/// Contract of two_streams: the three functions that `two_streams.cu` provides, and the kernel that it launches. Never
/// edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a host
/// compiler both read it.
#pragma once

#include <cstddef>
#include <cstdint>

/// What you keep between set-up and teardown: device memory, streams, events. You define it in your file.
struct two_streams_state;

extern "C" {

/// @brief Makes what two_streams_run() needs. Called once, before it, and not timed. Launches no kernel.
/// @param[in] n Numbers that each later run will work on. [elements] 0 is legal.
/// @return the state that two_streams_run() and two_streams_teardown() get.
two_streams_state* two_streams_setup(std::size_t n);

/// @brief Sends @p n numbers to the device, has the given kernel encode them there, and brings them back.
///
/// Between the first copy and the last one the host waits for nothing: it queues all work, and the device keeps the order.
/// Predicted traffic: 4 @p n bytes up and 4 @p n bytes down the host link, all of it by copies; the kernel loads 4 @p n
/// bytes of device memory and stores as many.
///
/// @param[in]  state What two_streams_setup() returned. Used for several runs, one after the other.
/// @param[in]  in    Numbers. Page-locked host memory, shape @p n, aligned to 256 bytes. Read only: must be unchanged
///                   afterwards. Does not overlap @p out.
/// @param[out] out   The encoded numbers, out[i] from in[i]. Page-locked host memory, shape @p n, aligned to 256 bytes.
///                   Holds arbitrary values before the call.
/// @param[in]  n     As in set-up. [elements] 0 is legal: nothing is written.
/// @param[in]  key   Goes to the kernel; another one in another run.
/// @note All streams are your own. The call may return before the work is done; the judge waits for the device before it
///       calls again. Compared bit for bit. Speed is not graded.
void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out, std::size_t n,
                     std::uint32_t key);

/// @brief Frees what two_streams_setup() made. Called once, when the device is idle.
/// @param[in] state What two_streams_setup() returned.
void two_streams_teardown(two_streams_state* state);

}  // extern "C"

#ifdef __CUDACC__

/// Given: encodes @p n numbers in device memory, in place; each depends on itself and on @p key alone.
///
/// No two numbers become the same, and encoding twice is not encoding once.
/// Launch contract: one-dimensional grid of at least n threads. n = 0 must not be launched.
__global__ void encode(std::uint32_t* values, std::size_t n, std::uint32_t key) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = (values[i] ^ key) * 0x9e3779b1u + 1u;
}

#endif  // __CUDACC__

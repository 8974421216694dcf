/// @file
/// Contract of bytes_in_flight: the one function that `bytes_in_flight.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Copies an array with the threads that it is given: dst[i] = src[i].
///
/// One kernel is launched, with exactly @p blocks blocks of @p threads threads, whatever @p n is. For the timed run
/// that is one block on each multiprocessor: 512 threads where a multiprocessor has more than 20 GB/s of the card's
/// bandwidth to feed, else 128. So few threads that one element at a time leaves the memory waiting.
///
/// Predicted traffic: 4 @p n bytes read and 4 @p n bytes written, each element once; the grader counts 8 @p n
/// bytes as moved. When its warp waits for loaded values, a thread has 30 bytes or more on their way, on average
/// (32 in whole turns, less at the end); or a block has as many for each thread on their way by asynchronous copies.
///
/// @param[out] dst     The copy. Device memory, shape @p n floats, aligned to 4 bytes: it may begin anywhere in an
///                     array of floats. Holds arbitrary values before the call. Nothing outside may be written.
/// @param[in]  src     Values, compared bit for bit. Device memory, shape @p n floats, aligned to 4 bytes, and not
///                     always as @p dst is. Read only: must be unchanged afterwards. Does not overlap @p dst.
/// @param[in]  n       Length. [elements] 0 is legal: nothing is written, and nothing needs to be launched.
/// @param[in]  blocks  Blocks of the grid, in x. [blocks] At least 1.
/// @param[in]  threads Threads of a block, in x. [threads] A multiple of 32, at most 1024.
/// @param[in]  stream  Stream on which all work is queued. The call may return before the work is done.
/// @note In the timed run, dst and src are aligned to 256 bytes.
void bytes_in_flight_run(float* dst, const float* src, std::size_t n, unsigned int blocks,
                         unsigned int threads, cudaStream_t stream);

}  // extern "C"

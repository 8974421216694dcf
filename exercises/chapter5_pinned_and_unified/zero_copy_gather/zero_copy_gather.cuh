/// @file
/// Contract of zero_copy_gather: the three functions that `zero_copy_gather.cu` provides, and one that the grader calls
/// between two gathers. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so
/// that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Allocates the host memory that the table lies in. Called once for many gathers, and not timed.
///
/// @param[in] n Numbers to make room for. [elements] 0 is legal.
/// @return host memory for @p n floats, aligned to 4 bytes; null if @p n is 0. Its contents are arbitrary: the grader
///         writes the numbers.
float* zero_copy_gather_alloc(std::size_t n);

/// @brief Gathers numbers of a table in host memory: found[k] = host[wanted[k]] for all k below @p count. Timed by the
/// judge's own clock, from the call until the whole device is idle; called many times with the same memory and other
/// numbers and indices, one gather after the other.
///
/// Timed with one in a thousand wanted, and with every second one. Kernels of yours gather in both: they read the
/// indices, which the device alone knows, and the numbers.
///
/// Predicted traffic: over the host link the lesser of 32 bytes for each 32-byte sector with a wanted number and 4 @p n
/// bytes for the whole table; in device memory 4 @p count bytes of indices read, and 4 @p count bytes written.
///
/// @param[in]  host   The table: what zero_copy_gather_alloc() returned, shape @p n. Read only: must be unchanged
///                    afterwards. Null if @p n is 0.
/// @param[in]  wanted Indices, each below @p n, in any order; one may come more than once. Device memory, shape
///                    @p count, aligned to 256 bytes. Read only. Overlaps nothing.
/// @param[out] found  What was wanted. Device memory, shape @p count floats, aligned to 256 bytes. Holds arbitrary
///                    values before the call.
/// @param[in]  n      As in zero_copy_gather_alloc(), below 2^32. [elements]
/// @param[in]  count  How many are wanted; may be more than @p n. [elements] 0 is legal: nothing is written. 0 if
///                    @p n is 0.
/// @param[in]  stream Stream on which the work is ordered. The call may return before it is done.
/// @note Compared bit for bit.
void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found, std::size_t n,
                          std::size_t count, cudaStream_t stream);

/// @brief Frees what zero_copy_gather_alloc() returned, and whatever else these functions have allocated for it. Called
/// once, when the device is idle.
/// @param[in] host What zero_copy_gather_alloc() returned; may be null.
void zero_copy_gather_free(float* host);

/// @brief Given, for the grader: waits for what is on the stream, and then changes the sign of every number of the table.
/// So the next gather finds other numbers in the same memory.
/// @param[in,out] host   The table; may be null if @p n is 0.
/// @param[in]     n      Its numbers. [elements]
/// @param[in]     stream The stream of the gather before.
void zero_copy_gather_negate(float* host, std::size_t n, cudaStream_t stream);

}  // extern "C"

#ifdef __CUDACC__

extern "C" void zero_copy_gather_negate(float* host, std::size_t n, cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  for (std::size_t i = 0; i < n; ++i) host[i] = -host[i];
}

#endif  // __CUDACC__

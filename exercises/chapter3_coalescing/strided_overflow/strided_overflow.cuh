/// @file
/// Contract of strided_overflow: the one function that `strided_overflow.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Gathers every @p stride-th element of an array into a dense one: out[k] = in[k stride], for all k with
/// k stride < n. These are n / stride elements, rounded up.
///
/// A kernel of yours does the gathering: one load and one store for each element gathered.
///
/// @param[in]  in     Array of bytes. Device memory, shape @p n elements; it may have more than 4 GiB. Aligned to
///                    128 bytes. Read only: must be unchanged afterwards. Does not overlap @p out.
/// @param[out] out    What is gathered. Device memory, shape @p n / @p stride elements, rounded up. Aligned to 128
///                    bytes. Holds arbitrary values before the call.
/// @param[in]  n      Elements of @p in. 0 is legal: nothing is written.
/// @param[in]  stride Distance of the elements that are gathered. [elements] From 1 to 2^40; it may exceed @p n:
///                    then in[0] alone is gathered.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared byte for byte. In an array of more than 4 GiB only the elements to be gathered have been given
///       values. Speed is not graded; the number of threads is.
void strided_overflow_run(const unsigned char* in, unsigned char* out, std::size_t n, std::size_t stride,
                          cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of histogram_shared: the one function that `histogram_shared.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read
/// it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Counts how often each byte occurs: counts[b] = how many of in[0], ..., in[n-1] are b.
///
/// Predicted traffic: @p n bytes read, each once; the grader counts @p n bytes as moved. At most one atomic on
/// global memory for 100 bytes of input: 0.01 @p n.
///
/// @param[in]  in     Bytes of any values, in any order. Device memory, shape @p n bytes. Aligned to 16 bytes. Read
///                    only: must be unchanged afterwards. Does not overlap @p counts.
/// @param[out] counts The counts. Device memory, shape 256 unsigned ints. Aligned to 16 bytes. Holds arbitrary
///                    numbers before the call, also when the call before it used the same address.
/// @param[in]  n      Number of bytes, less than 2^32. [bytes] 0 is legal and gives 256 zeros.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done. Calls
///                    never overlap: the next one starts after this one's work.
/// @note Every count must be exact. Parts of a library that work inside your kernel (cub::BlockHistogram,
///       cooperative groups) are welcome; calls that do all the counting are not.
void histogram_shared_run(const unsigned char* in, unsigned int* counts, std::size_t n, cudaStream_t stream);

}  // extern "C"

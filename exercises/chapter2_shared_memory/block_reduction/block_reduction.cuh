/// @file
/// Contract of block_reduction: the one function that `block_reduction.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes the sum of @p n floats to @p out.
///
/// Every block brings the values of its threads together in shared memory and adds one number to the result.
/// Predicted traffic: 4 @p n bytes read from DRAM, each once; next to nothing written. The grader counts
/// exactly these 4 @p n bytes as moved.
///
/// @param[in]  in     Values, any finite floats whose magnitudes add up to a finite one. Device memory, shape
///                    @p n floats. Aligned to 16 bytes. Read only: must be unchanged afterwards. Does not
///                    overlap @p out.
/// @param[out] out    The sum. Device memory, shape 1 float. Aligned to 4 bytes. Holds an arbitrary value
///                    before the call, also when the call before it used the same address.
/// @param[in]  n      Number of values. [elements] 0 is legal and gives the sum 0. May exceed the number of
///                    threads that a GPU can hold.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done. Calls
///                    never overlap: the next one starts after this one's work.
/// @note Compared with a double-precision sum at 5e-5 of the sum of the magnitudes, at every size: any order of
///       additions is welcome, and values or sums of less than single precision are not. Parts of a library
///       that work inside your kernel (cub::BlockReduce, cooperative groups) are welcome; calls that do the
///       whole sum are not.
void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of softmax_wide: the one function that `softmax_wide.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes the softmax of each row: out[r][c] = exp(in[r][c] - m) / s, where m is the largest value of row r
/// and s the sum of exp(in[r][k] - m) over the row.
///
/// Predicted traffic: 4 @p rows @p cols bytes read and as many written, each element once; the grader counts 8
/// @p rows @p cols bytes as moved. All loads together ask for at most 1.05 times the sectors of the input read once.
///
/// @param[in]  in     Values, any finite floats. Device memory, shape @p rows x @p cols floats, row by row with
///                    nothing between the rows. in[0][0] is aligned to 128 bytes, so a row begins at a multiple of
///                    16 bytes if 4 divides @p cols. Read only: must be unchanged afterwards. Does not overlap
///                    @p out.
/// @param[out] out    The softmax of each row. Device memory, shape as @p in, aligned to 128 bytes. Holds arbitrary
///                    values before the call.
/// @param[in]  rows   Number of rows. 0 is legal: nothing is written.
/// @param[in]  cols   Length of a row, from 1024 to 32768. [floats] Any number between these is legal.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared with a softmax in double precision: 5e-6 of the value, plus 4e-7 of it for each unit that the input
///       lies below its row's maximum. That leaves room for any order of additions and for the exponential functions
///       of single precision, __expf too; values or sums of half precision are refused. Parts of a library that work
///       inside your kernel (cub::BlockReduce, cooperative groups) are welcome.
void softmax_wide_run(const float* in, float* out, std::size_t rows, std::size_t cols, cudaStream_t stream);

}  // extern "C"

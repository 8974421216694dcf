/// @file
/// Contract of row_softmax: the one function that `row_softmax.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// A row has at most so many columns: 32 lanes with 32 values each.
constexpr std::size_t row_softmax_most_columns = 1024;

extern "C" {

/// @brief Writes the softmax of each row of a matrix: out[r][c] = e^(in[r][c] - m) / s, where m is the largest
/// value of row r, and s the sum of e^(in[r][k] - m) over its columns k.
///
/// Predicted traffic: 4 @p rows @p cols bytes read and as many written, each element once; the grader counts
/// 8 @p rows @p cols bytes as moved. Kernels load no more than 1.05 times the sectors of the input, use no shared
/// memory, and have no stack frame by ptxas -v for the GPU at hand: a row stays in the registers of its warp.
///
/// @param[in]  in     Matrix. Device memory, shape @p rows x @p cols floats, row-major, no padding between rows.
///                    in[0][0] is aligned to 128 bytes; where @p cols is no multiple of 32, later rows are not. Any
///                    finite floats: 1000 and -1000 are ordinary values. Read only: must be unchanged afterwards.
///                    Does not overlap @p out.
/// @param[out] out    Softmax of each row. Device memory, shape @p rows x @p cols floats, row-major, no padding
///                    between rows. out[0][0] is aligned to 128 bytes. Holds arbitrary values before the call.
/// @param[in]  rows   Rows. [elements] Any number; 0 is legal: nothing is written.
/// @param[in]  cols   Columns. [elements] At most 1024; 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each value is compared with one of double precision, at 5e-5 of it: expf and __expf are both exact
///       enough, half precision is not. What lies below 1e-37 may be 0. Timed at 1024 columns.
void row_softmax_run(const float* in, float* out, std::size_t rows, std::size_t cols, cudaStream_t stream);

}  // extern "C"

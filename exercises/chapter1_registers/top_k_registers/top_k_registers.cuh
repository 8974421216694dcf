/// @file
/// Contract of top_k_registers: the one function that `top_k_registers.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes the four largest values of each column of a matrix, the largest first.
///
/// out[0][c] >= out[1][c] >= out[2][c] >= out[3][c] are the four largest of in[0][c], in[1][c], ...; a value that
/// occurs twice counts twice. With fewer than four rows the missing places are -infinity.
///
/// Predicted traffic: 4 @p rows @p cols bytes read, each once; next to nothing written. The grader counts exactly
/// these 4 @p rows @p cols bytes as moved. One thread a column is enough, and no thread needs another's values.
/// Kernels that run have no stack frame and spill no register, by ptxas -v for the GPU at hand.
///
/// @param[in]  in     Matrix. Device memory, shape @p rows x @p cols floats, row-major, no padding between rows.
///                    in[0][0] is aligned to 128 bytes; where @p cols is no multiple of 32, later rows are not. No
///                    NaN, no infinity and no -0.0 among the values. Read only: must be unchanged afterwards. Does
///                    not overlap @p out.
/// @param[out] out    The four largest. Device memory, shape 4 x @p cols floats, row-major, no padding between rows.
///                    out[0][0] is aligned to 128 bytes. Holds arbitrary values before the call.
/// @param[in]  rows   Rows of @p in. [elements] 0 is legal: every place is -infinity then.
/// @param[in]  cols   Columns. [elements] 0 is legal: nothing is written. At most 2^31 - 1.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit. Timed on columns in random order and on ascending ones, in which every value is the
///       largest so far.
void top_k_registers_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                         cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of column_sums: the one function that `column_sums.cu` provides. Never edited: the grader puts its own
/// copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Adds up each column: out[c] = in[0][c] + in[1][c] + ... + in[rows - 1][c].
///
/// Predicted traffic: 4 @p rows @p cols bytes read, each once. The sums are few, so what is written does not
/// count. Kernels of this file do the adding: a library's kernels do not count.
///
/// @param[in]  in     Matrix, any finite floats, of both signs. Device memory, shape @p rows x @p cols floats,
///                    row-major, no padding between rows. in[0][0] is aligned to 128 bytes; other rows begin
///                    wherever the one before them ends. Read only: must be unchanged afterwards. Does not
///                    overlap @p out.
/// @param[out] out    Sums. Device memory, shape @p cols floats, aligned to 128 bytes. Holds arbitrary values
///                    before the call, NaN among them.
/// @param[in]  rows   Number of rows, up to 2^31. [elements] 0 is legal: each sum is then 0.
/// @param[in]  cols   Number of columns, up to 2^31. [elements] 0 is legal: nothing is written. Both can be the
///                    longer side.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each sum is compared with a double-precision sum at 1e-5 of the sum of its column's magnitudes, so any
///       order of additions is welcome, and additions of less than single precision are not.
void column_sums_run(const float* in, float* out, std::size_t rows, std::size_t cols, cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of tiled_matmul: the one function that `tiled_matmul.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes the matrix product C = A B: c[i][j] = a[i][0] b[0][j] + ... + a[i][k-1] b[k-1][j].
///
/// All three matrices lie row by row without gaps: element (i, j) of a matrix with w columns is at i w + j.
/// Predicted work: @p m @p n @p k multiply-adds, which the grader counts as 2 @p m @p n @p k FLOP. All loads from
/// global memory together touch at most 0.02 sectors a multiply-add.
///
/// @param[in]  a      Left factor. Device memory, shape @p m rows of @p k floats. Aligned to 128 bytes; its rows
///                    need not be. Read only: must be unchanged afterwards. Does not overlap @p c.
/// @param[in]  b      Right factor. Device memory, shape @p k rows of @p n floats. Aligned to 128 bytes; its rows
///                    need not be. Read only: must be unchanged afterwards. Does not overlap @p c.
/// @param[out] c      Product. Device memory, shape @p m rows of @p n floats. Aligned to 128 bytes; its rows need
///                    not be. Holds arbitrary values before the call.
/// @param[in]  m      Rows of A and of C, at most 2^20. 0 is legal: nothing is written.
/// @param[in]  n      Columns of B and of C, at most 2^20. 0 is legal: nothing is written.
/// @param[in]  k      Columns of A, rows of B, at most 2^20. 0 is legal: all of C becomes 0.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each element is compared with a double-precision sum at 1e-5 of the sum of magnitudes of its @p k
///       products. Any order of additions is welcome. Factors that are rounded to half, bfloat16 or TF32 miss it.
void tiled_matmul_run(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k,
                      cudaStream_t stream);

}  // extern "C"

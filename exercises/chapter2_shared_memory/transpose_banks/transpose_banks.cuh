/// @file
/// Contract of transpose_banks: the one function that `transpose_banks.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes the transpose of a matrix: out[c][r] = in[r][c].
///
/// Predicted traffic: 4 @p rows @p cols bytes read and as many written, each element once; the grader counts
/// 8 @p rows @p cols bytes as moved. The elements go through shared memory, with at most one excess wavefront a
/// request.
///
/// @param[in]  in     Matrix. Device memory, shape @p rows x @p cols floats, row-major, without padding between
///                    rows. in[0][0] is aligned to 16 bytes; where @p cols is no multiple of 4, later rows are
///                    not. Read only: must be unchanged afterwards. Does not overlap @p out.
/// @param[out] out    Transpose. Device memory, shape @p cols x @p rows floats, row-major, without padding
///                    between rows. out[0][0] is aligned to 16 bytes. Holds arbitrary values before the call.
/// @param[in]  rows   Rows of @p in. [elements] 0 to 100,000; any number, multiple of a tile or not.
/// @param[in]  cols   Columns of @p in. [elements] 0 to 100,000. With no row or no column nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit. The timed shape is a multiple of 16 in both directions, so that rows can be read
///       16 bytes at a time, and of neither 32 nor 64, so that every tile size meets partial tiles.
void transpose_banks_run(const float* in, float* out, std::size_t rows, std::size_t cols,
                         cudaStream_t stream);

}  // extern "C"

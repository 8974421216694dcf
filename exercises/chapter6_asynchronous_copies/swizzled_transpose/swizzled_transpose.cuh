/// @file
/// Contract of swizzled_transpose: the three functions that `swizzled_transpose.cu` provides. Barriers and copies, as device functions,
/// stand in copy_engine.cuh. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that
/// nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What you keep between set-up and teardown: a tensor map, ... You define it in your file.
struct swizzled_transpose_state;

extern "C" {

/// @brief Describes one matrix to the copy engine. Called once a matrix, and not timed.
///
/// Launches no kernel. Several states may live at once, each with its own matrix.
///
/// @param[in] in   Matrix. Device memory, shape @p rows x @p cols floats, row-major, without padding between rows. Aligned to 16 bytes.
///                 Only described here: its values may change until swizzled_transpose_run(). Nothing behind it may be read.
/// @param[in] rows Rows of @p in. [elements] 0 to 100,000; any number.
/// @param[in] cols Columns of @p in. [elements] 0 to 100,000; a multiple of 4, so that every row begins at a multiple of 16 bytes. A
///                 matrix without elements is not described: the driver encodes no map of it.
/// @return the state that swizzled_transpose_run() and swizzled_transpose_teardown() get. Null where you need none.
swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t rows, std::size_t cols);

/// @brief Writes the transpose: out[c][r] = in[r][c]. Timed.
///
/// Predicted traffic: 4 @p rows @p cols bytes read and as many written, each element once; the grader counts 8 @p rows @p cols bytes as
/// moved. At least 0.99 of what is read comes by tensor copies, in boxes whose rows have 128 bytes, swizzled by 128 bytes; no more than 1.1
/// times the matrix is asked for. Threads load each element from shared memory once, from where the copy put it. Shared memory takes at
/// most 3.5 wavefronts a request more than the fewest. Needs compute capability 9.0.
///
/// @param[in]  state  What swizzled_transpose_setup() returned for this matrix.
/// @param[out] out    Transpose. Device memory, shape @p cols x @p rows floats, row-major, without padding between rows. out[0][0] is
///                    aligned to 16 bytes; where @p rows is no multiple of 4, later rows are not. Holds arbitrary values before the call.
///                    Does not overlap the matrix.
/// @param[in]  rows   As in set-up. [elements]
/// @param[in]  cols   As in set-up. [elements] With no row or no column nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit. The timed shape is a multiple of 16 in both directions, and of neither 32 nor 64, so that every tile size
///       meets partial tiles.
void swizzled_transpose_run(swizzled_transpose_state* state, float* out, std::size_t rows, std::size_t cols,
                            cudaStream_t stream);

/// @brief Frees what swizzled_transpose_setup() made. Called once a state, after its last run has finished.
/// @param[in] state What swizzled_transpose_setup() returned.
void swizzled_transpose_teardown(swizzled_transpose_state* state);

}  // extern "C"

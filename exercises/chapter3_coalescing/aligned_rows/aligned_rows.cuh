/// @file
/// Contract of aligned_rows: the two functions that `aligned_rows.cu` provides. Never edited: the grader puts its own
/// copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Says how far apart rows lie. The judge lays both matrices out by the answer, then calls aligned_rows_run().
/// @param[in] width Elements of a row, at least 1, often odd.
/// @return the pitch: the distance from the beginning of a row to the beginning of the next, in *bytes*. A multiple
///         of 4, at least 4 @p width, and at most that rounded up to a multiple of 512. The same for the same width.
std::size_t aligned_rows_choose_pitch(std::size_t width);

/// @brief Scales each element: out[r][c] = factor * in[r][c]. Timed.
///
/// Predicted traffic: 4 @p rows @p width bytes read and as many written, each once; the grader counts
/// 8 @p rows @p width. Of the bytes of all sectors that the kernels move, at least 0.95 are asked for, and every row
/// begins at a sector's start.
///
/// @param[in]  in     Matrix. Device memory, shape @p rows x @p width floats; row r begins r * @p pitch bytes after
///                    row 0, which is aligned to 256 bytes. The bytes between the rows hold nothing: do not
///                    read them. Read only: must be unchanged afterwards. Does not overlap @p out.
/// @param[out] out    Scaled matrix, of the same shape and pitch and with the same alignment. Holds arbitrary values
///                    before the call. What stands between its rows afterwards does not matter.
/// @param[in]  rows   Number of rows, up to 2^31. 0 is legal: nothing is written.
/// @param[in]  width  Elements of a row, at least 1.
/// @param[in]  pitch  What aligned_rows_choose_pitch() returned for this width. [bytes]
/// @param[in]  factor What each element is multiplied by.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit: one single-precision product an element.
void aligned_rows_run(const float* in, float* out, std::size_t rows, std::size_t width, std::size_t pitch,
                      float factor, cudaStream_t stream);

}  // extern "C"

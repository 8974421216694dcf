/// @file
/// Contract of constant_convolution: the two functions that `constant_convolution.cu` provides. Never edited: the
/// grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler
/// both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Takes a filter of 5 x 5 weights. Called before the first run, and again when the weights change. Not
///        timed.
///
/// Launches no kernel. All runs that follow use these weights, until the next call.
///
/// @param[in] filter Weights, filter[5 r + c] for row r and column c. Device memory, shape 5 x 5 floats, aligned
///                   to 256 bytes. Read only: must be unchanged afterwards. Any finite values between -1 and 1.
///                   They stay there until the next call of this function; then the same address may hold
///                   others.
/// @param[in] stream Stream on which the work is queued; the runs that follow use it too, or wait for it.
void constant_convolution_setup(const float* filter, cudaStream_t stream);

/// @brief Filters an image: out[y][x] is the sum of filter[r][c] * in[y + r - 2][x + c - 2] over r, c = 0 to 4.
///        Timed.
///
/// What lies outside the image counts as 0. The filter is not turned round: weight (0, 0) belongs to the
/// neighbour on the upper left.
///
/// Predicted traffic: 4 @p width @p height bytes read and as many written, each once; the grader counts 8 @p
/// width @p height bytes as moved. At most 30 requests to load from global memory for each 32 outputs, and none
/// to anything but the image. The weights come from `__constant__` memory.
///
/// @param[in]  in     Image. Device memory, shape @p height x @p width floats, row-major, no padding between
///                    rows. in[0][0] is aligned to 256 bytes, other rows to 4. Read only: must be unchanged
///                    afterwards. Any finite values up to 2^100 in magnitude.
/// @param[out] out    Filtered image, shaped and aligned like @p in. Holds arbitrary values before the call. Does
///                    not overlap @p in.
/// @param[in]  width  Pixels in a row. [elements] 0 to 65,536; 0 writes nothing.
/// @param[in]  height Rows. [elements] 0 to 65,536; 0 writes nothing.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each pixel is compared with a double-precision sum. Allowed: 2^-19 of the sum of the 25 products'
///       magnitudes, which single precision keeps in any order of the terms, and 2^-140 where they vanish.
void constant_convolution_run(const float* in, float* out, std::size_t width, std::size_t height,
                              cudaStream_t stream);

}  // extern "C"

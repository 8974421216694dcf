/// @file
/// Contract of texture_rotate: the three functions that `texture_rotate.cu` provides. Never edited: the grader puts
/// its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What you keep between set-up and teardown: an array, a texture object, ... You define it in your file.
struct texture_rotate_state;

extern "C" {

/// @brief Prepares one image. Called once an image, and not timed. The angle is not known yet.
///
/// Launches no kernel. Everything it has queued is done when it returns: texture_rotate_run() works on another stream.
/// Several states may live at once, each with its own image.
///
/// @param[in] in     Image. Device memory, shape @p height x @p width floats, row-major, no padding between rows. Aligned
///                   to 256 bytes. Any finite values up to 2^100 in magnitude. Read only: must be unchanged afterwards.
///                   Stays as it is, and where it is, until texture_rotate_teardown(); then the same address may hold
///                   another image.
/// @param[in] width  Texels in a row. [elements] 1 to 65,536.
/// @param[in] height Rows. [elements] 1 to 32,768. An image without texels does not occur.
/// @return the state that texture_rotate_run() and texture_rotate_teardown() get. Null where you need none.
texture_rotate_state* texture_rotate_setup(const float* in, std::size_t width, std::size_t height);

/// @brief Writes the image turned about its centre, filtered bilinearly. Timed.
///
/// With dx = x + 0.5 - @p width / 2 and dy = y + 0.5 - @p height / 2, pixel (x, y) of @p out takes the value at the image's
/// point
///
///     u = width / 2  + cos(angle) dx + sin(angle) dy
///     v = height / 2 - sin(angle) dx + cos(angle) dy
///
/// in texels: u = 0 is the image's left edge, u = @p width its right one, and texel (i, j) has its centre at (i + 0.5, j +
/// 0.5). As rows are counted downwards, a positive angle turns the picture clockwise. Between four centres the value is
/// their bilinear mean; texels outside the image count as 0 there (border).
///
/// Predicted traffic: 4 bytes read for each pixel whose point falls inside the image, and 4 @p width @p height bytes
/// written, each once; the grader counts their sum as moved. The texture unit does the filtering: at the timed angle of
/// 89.7 degrees between 0.95 and 1.05 linearly filtered fetches an output, and no reading of the image besides.
///
/// @param[in]  state  What texture_rotate_setup() returned for this image.
/// @param[out] out    Turned image, shaped and aligned like the image. Holds arbitrary values before the call. Does not
///                    overlap the image.
/// @param[in]  width  Texels in a row, as in set-up, and pixels in a row of @p out. [elements]
/// @param[in]  height Rows of both. [elements]
/// @param[in]  angle  [radians] -3.15 to 3.15. Differs from call to call.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each pixel is compared with a double-precision one. A coordinate may be off by e = 7 N 2^-24 texels on each axis, N
///       being the longer side: that holds for single precision, if sine and cosine are good to 2 units in the last place and
///       meet *centred* coordinates as above. It does not hold for `__sincosf`, whose sine and cosine are off by about
///       2^-21, nor for products with x and y themselves. Allowed is then 2^-7 + 2 e of the spread (largest less smallest) of
///       the texels that a point within e can mix, and 2^-22 of the largest magnitude among them. 2^-7 is one step of 2^-8 of
///       the texture unit's weights on each axis, the last term the rounding of the mean. On top comes 2^-126: the unit
///       gives 0 for a smaller mean.
void texture_rotate_run(texture_rotate_state* state, float* out, std::size_t width, std::size_t height,
                        float angle, cudaStream_t stream);

/// @brief Frees what texture_rotate_setup() made. Called once a state, after its last run has finished.
/// @param[in] state What texture_rotate_setup() returned.
void texture_rotate_teardown(texture_rotate_state* state);

}  // extern "C"

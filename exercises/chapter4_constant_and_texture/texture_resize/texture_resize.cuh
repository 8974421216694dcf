/// @file
/// Contract of texture_resize: the three functions that `texture_resize.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What you keep between set-up and teardown: an array, a texture object, ... You define it in your file.
struct texture_resize_state;

extern "C" {

/// @brief Makes a texture of one image: array, copy, texture object. Called once an image, and not timed.
///
/// Launches no kernel. Everything it has queued is done when it returns: the judge may overwrite @p in then, and
/// runs texture_resize_run() on another stream. Several states may live at once, each with its own image.
///
/// @param[in] in     Image. Device memory, shape @p height x @p width floats, row-major, no padding between
///                   rows. Aligned to 256 bytes. Read only: must be unchanged afterwards. The address may be
///                   that of an earlier image, with other values.
/// @param[in] width  Texels in a row. [elements] 1 to 65,536.
/// @param[in] height Rows. [elements] 1 to 32,768. An image without texels does not occur.
/// @return the state that texture_resize_run() and texture_resize_teardown() get. Null where you need none.
texture_resize_state* texture_resize_setup(const float* in, std::size_t width, std::size_t height);

/// @brief Writes the image at twice its size, filtered bilinearly. Timed.
///
/// Pixel (x, y) of @p out takes the value at the image's point (x + 0.5) / (2 @p width), (y + 0.5) / (2 @p
/// height), where 0 is the image's left or upper edge, 1 its right or lower edge, and texel (i, j) has its
/// centre at (i + 0.5) / @p width, (j + 0.5) / @p height. Between four centres the value is their bilinear mean;
/// outside the outermost centres the border texel counts (clamp).
///
/// Predicted traffic: 4 @p width @p height bytes read and 16 @p width @p height bytes written, each once. The
/// texture unit does the filtering: between 0.95 and 1.05 linearly filtered fetches an output, and no reading of the
/// image besides.
///
/// @param[in]  state  What texture_resize_setup() returned for this image.
/// @param[out] out    Enlarged image. Device memory, shape 2 @p height x 2 @p width floats, row-major, no
///                    padding between rows. out[0][0] is aligned to 256 bytes, other rows to 8. Holds arbitrary
///                    values before the call.
/// @param[in]  width  Texels in a row of the *image*, as in set-up. [elements]
/// @param[in]  height Rows of the *image*, as in set-up. [elements]
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each pixel is compared with a double-precision one. Allowed: 2^-7 + 2 N 2^-24 of the spread of the four
///       texels around it (largest less smallest), N being the longer side of the image in texels, and 2^-22 of
///       the largest magnitude among the four. 2^-7 is one step of 2^-8 of the texture unit's weights on each axis, the second term
///       is the rounding of a single-precision coordinate, the last the rounding of the mean. On top comes 2^-126: the unit
///       gives 0 for a smaller mean.
void texture_resize_run(texture_resize_state* state, float* out, std::size_t width, std::size_t height,
                        cudaStream_t stream);

/// @brief Frees what texture_resize_setup() made. Called once a state, after its last run has finished.
/// @param[in] state What texture_resize_setup() returned.
void texture_resize_teardown(texture_resize_state* state);

}  // extern "C"

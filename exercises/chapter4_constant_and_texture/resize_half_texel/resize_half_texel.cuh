/// @file
/// Contract of resize_half_texel: the three functions that `resize_half_texel.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What is kept between set-up and teardown. You define it in your file.
struct resize_half_texel_state;

extern "C" {

/// @brief Makes a texture of one image: array, copy, texture object. Called once an image, and not timed.
///
/// Launches no kernel. Everything it has queued is done when it returns: the judge may overwrite @p in then, and runs
/// resize_half_texel_run() on another stream. Several states may live at once, each with its own image.
///
/// @param[in] in     Image. Device memory, shape @p height x @p width floats, row-major, no padding between rows.
///                   Aligned to 256 bytes. Read only: must be unchanged afterwards. The address may be that of an
///                   earlier image, with other values.
/// @param[in] width  Texels in a row. [elements] 1 to 65,536. An image without texels does not occur.
/// @param[in] height Rows. [elements] 1 to 32,768.
/// @return the state that resize_half_texel_run() and resize_half_texel_teardown() get.
resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width, std::size_t height);

/// @brief Writes the image at another size, filtered bilinearly.
///
/// Pixel (x, y) of @p out takes the value at the image's point (x + 0.5) / @p out_width, (y + 0.5) / @p out_height,
/// where 0 is the image's left or upper edge and 1 its right or lower edge. Texel (i, j) has its centre at
/// (i + 0.5) / width, (j + 0.5) / height. Between four centres the value is their bilinear mean; outside the
/// outermost centres the border texel counts (clamp). At the image's own size, `out` is the image.
///
/// Predicted traffic: 4 width height bytes read and 4 @p out_width @p out_height bytes written, each once. The
/// texture unit does the filtering: between 0.95 and 1.05 linearly filtered fetches an output, and no reading of the
/// image besides.
///
/// @param[in]  state      What resize_half_texel_setup() returned for this image.
/// @param[out] out        Resized image. Device memory, shape @p out_height x @p out_width floats, row-major, no
///                        padding between rows. out[0][0] is aligned to 256 bytes, other rows to 4. Does not overlap
///                        the image. Holds arbitrary values before the call.
/// @param[in]  out_width  Pixels in a row of @p out, larger or smaller than the image's or the same. [elements] 1 to
///                        65,536.
/// @param[in]  out_height Rows of @p out, likewise. [elements] 1 to 32,768.
/// @param[in]  stream     Stream on which all work is queued. The call may return before the work is done.
/// @note Speed is not graded. Each pixel is compared with a double-precision one. Allowed: 2^-7 + 2 N 2^-24 of the
///       spread (largest less smallest) of the texels around it, N being the longest of the four sides, and 2^-22
///       of the largest magnitude among them. Around it are the four that are mixed, and those that would be if the
///       point lay 2^-7 of a texel aside. 2^-7 is one step of 2^-8 of the texture unit's weights on each axis, the
///       second term is the rounding of a single-precision coordinate, the last the rounding of the mean. On top
///       comes 2^-126: the unit gives 0 for a smaller mean.
void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                           std::size_t out_height, cudaStream_t stream);

/// @brief Frees what resize_half_texel_setup() made, all of it. Called once a state, after its last run has finished.
/// @param[in] state What resize_half_texel_setup() returned.
void resize_half_texel_teardown(resize_half_texel_state* state);

}  // extern "C"

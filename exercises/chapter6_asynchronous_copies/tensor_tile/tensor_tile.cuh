/// @file
/// Contract of tensor_tile: the three functions that `tensor_tile.cu` provides. Barriers and copies, as device functions, stand in
/// copy_engine.cuh; the tensor map has no wrapper here, because describing the image is the exercise. Never edited: the grader puts
/// its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What you keep between set-up and teardown: a tensor map, ... You define it in your file.
struct tensor_tile_state;

constexpr std::uint32_t tensor_tile_row_bytes = 128;  ///< of one row of a tile: 32 floats or 64 halves
constexpr std::uint32_t tensor_tile_rows = 32;        ///< rows of a tile

extern "C" {

/// @brief Describes one image to the copy engine. Called once an image, and not timed.
///
/// Launches no kernel. Several states may live at once, each with its own image; all may have the same shape.
///
/// @param[in] image         Elements in rows. Device memory; element (x, y) lies x @p element_bytes + y @p pitch bytes behind @p image.
///                          Aligned to 16 bytes. Only described here: its values may change until tensor_tile_run(). What lies
///                          between the end of a row and the next row is padding, and holds anything. Nothing behind the last element of
///                          the last row may be read.
/// @param[in] width         Elements in a row. [elements] 0 to 65,536; any number.
/// @param[in] height        Rows. [elements] 0 to 65,536; any number. An image without elements has no tiles, and the driver encodes no
///                          map of it.
/// @param[in] pitch         From one row to the next. [bytes] A multiple of 16, at least @p width x @p element_bytes.
/// @param[in] element_bytes 4: floats. 2: halves, that is `__half`. [bytes]
/// @return the state that tensor_tile_run() and tensor_tile_teardown() get. Null where you need none.
tensor_tile_state* tensor_tile_setup(const void* image, std::size_t width, std::size_t height,
                                     std::size_t pitch, std::size_t element_bytes);

/// @brief Cuts the image into tiles and writes them one after the other. Timed.
///
/// A tile has 32 rows of 128 bytes: 32 x 32 floats, or 64 x 32 halves. Tile (i, j), the i-th from the left and the j-th from above, is
/// number i + j * (tiles side by side). Where a tile sticks out of the image, on the right or below, its elements are zero (+0).
///
/// Predicted traffic: @p width @p height @p element_bytes bytes read, each once, and 4096 bytes written for each tile. At least 0.99 of
/// what is read comes by tensor copies, in boxes whose rows have 128 bytes or more, and no more than 1.3 times the image is
/// asked for. Needs compute capability 9.0.
///
/// @param[in]  state         What tensor_tile_setup() returned for this image.
/// @param[out] tiles         Tiles without gaps, rows of a tile without gaps. Device memory, 4096 bytes for each tile, aligned to 16 bytes.
///                           Holds arbitrary values before the call. Does not overlap the image.
/// @param[in]  width         As in set-up. [elements]
/// @param[in]  height        As in set-up. [elements] With no element nothing is written.
/// @param[in]  element_bytes As in set-up. [bytes]
/// @param[in]  stream        Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                     std::size_t element_bytes, cudaStream_t stream);

/// @brief Frees what tensor_tile_setup() made. Called once a state, after its last run has finished.
/// @param[in] state What tensor_tile_setup() returned.
void tensor_tile_teardown(tensor_tile_state* state);

}  // extern "C"

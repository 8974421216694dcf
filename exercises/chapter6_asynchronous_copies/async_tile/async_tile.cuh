/// @file
/// Contract of async_tile: the one function that `async_tile.cu` provides. Never edited: the grader puts its own copy
/// on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Floats of a tile: 16 KB.
constexpr unsigned int async_tile_floats = 4096;

extern "C" {

/// @brief Turns each tile of an array round: the first float of a tile becomes its last.
///
/// Tile t is in[4096 t], in[4096 t + 1], ... up to 4096 floats; the last tile may be shorter. With m floats in a tile,
/// out[4096 t + j] = in[4096 t + m - 1 - j]. Few blocks walk through many tiles, and the next tile comes to shared
/// memory by an asynchronous copy (`cp.async`) while one is used. Predicted traffic: 4 @p n bytes read and 4 @p n bytes
/// written, each once. Needs compute capability 8.0.
///
/// @param[out] out    Turned tiles. Device memory, shape @p n floats, aligned to 128 bytes. Holds arbitrary values
///                    before the call. Nothing behind it may be written.
/// @param[in]  in     Values. Device memory, shape @p n floats, aligned to 128 bytes. Read only: must be unchanged
///                    afterwards. Does not overlap @p out. Nothing behind it may be read.
/// @param[in]  n      Number of values. [elements] 0 is legal: nothing is written.
/// @param[in]  blocks The most blocks that may be launched, at least 1: one for each SM where it is timed. [blocks]
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void async_tile_run(float* out, const float* in, std::size_t n, unsigned int blocks, cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of multicast_tiles: the one function that `multicast_tiles.cu` provides. The device functions that it may call stand in
/// copy_engine.cuh. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a
/// host compiler both read it.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

constexpr unsigned int multicast_tiles_cluster = 4;    ///< blocks of a cluster
constexpr unsigned int multicast_tiles_floats = 4096;  ///< floats of a tile: 16 KB
constexpr unsigned int multicast_tiles_grain = 16;  ///< n is a multiple: a quarter of 16 floats has 16 bytes

extern "C" {

/// @brief Counts how many values exceed each level: counts[b] = number of i with values[i] > levels[b].
///
/// One block for each level, in clusters of four, and every block sees every value. So four neighbours want the same tile at the same time: it is
/// asked for once, and comes into the shared memory of all four. Predicted traffic: 4 @p n x @p blocks bytes are delivered into shared
/// memory; a quarter of that is asked of L2, n x @p blocks bytes. The grader counts what is delivered, and that every block takes its values
/// from there. Needs compute capability 9.0.
///
/// @param[out] counts How many values exceed each level. Device memory, shape @p blocks unsigned integers. Holds arbitrary values before
///                    the call. Nothing behind it may be written.
/// @param[in]  values Values. Device memory, shape @p n floats, aligned to 128 bytes. Read only: must be unchanged afterwards. Nothing
///                    behind it may be read.
/// @param[in]  levels Levels. Device memory, shape @p blocks floats. Read only: must be unchanged afterwards.
/// @param[in]  n      Number of values, a multiple of 16, less than 2^32. [elements] 0 is legal: all counts are 0.
/// @param[in]  blocks Number of levels, and of the blocks to be launched: a multiple of 4, at least 4. [blocks]
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared exactly. Values and levels are finite.
void multicast_tiles_run(unsigned int* counts, const float* values, const float* levels, std::size_t n,
                         unsigned int blocks, cudaStream_t stream);

}  // extern "C"

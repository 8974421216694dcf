/// @file
/// Contract of dynamic_tile: the one function that `dynamic_tile.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Outputs that a block makes from one tile. Its tile has dynamic_tile_outputs + 2 radius floats.
constexpr std::size_t dynamic_tile_outputs = 1024;

extern "C" {

/// @brief Moving sums: out[i] = in[i - radius] + ... + in[i + radius]. What lies before in[0] or after in[n-1]
/// counts as zero.
///
/// Each block makes dynamic_tile_outputs outputs from a tile of dynamic_tile_outputs + 2 @p radius floats in shared
/// memory, and is launched with the bytes of that tile and at most 1 KB more. Predicted traffic: 4 @p n bytes read
/// and 4 @p n bytes written, which the grader counts as moved; each block loads its tile once, and takes the
/// values of its sums from there.
///
/// @param[in]  in     Values, of both signs and of magnitudes from 1 to 2. Device memory, shape @p n floats, no
///                    ghosts. Aligned to 128 bytes. Read only: must be unchanged afterwards. Does not overlap
///                    @p out.
/// @param[out] out    Sums. Device memory, shape @p n floats. Aligned to 128 bytes. Holds arbitrary values before
///                    the call.
/// @param[in]  n      Number of outputs. [elements] 0 is legal: nothing is written.
/// @param[in]  radius Neighbours on each side, known only now. [elements] Any number up to 2^30; it may exceed
///                    @p n.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @return 0 (cudaSuccess), or 1 (cudaErrorInvalidValue) if the tile does not fit the most shared memory that a
///         block can have on this device (cudaDevAttrMaxSharedMemoryPerBlockOptin); then nothing is written. A tile
///         that just fits is made.
/// @note Each sum is compared with a double-precision sum at 1e-5 of the sum of its own magnitudes, or of 16 where
///       they add up to less. So any order of additions is welcome, running sums and prefix sums of a tile too.
int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius, cudaStream_t stream);

}  // extern "C"

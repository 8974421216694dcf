/// @file
/// Contract of stencil_race: the one function that `stencil_race.cu` provides. Never edited: the grader puts
/// its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read
/// it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes to each output the sum of the seven inputs around it: out[i] = in[i-3] + in[i-2] + ... +
/// in[i+3].
///
/// The threads of a block share a tile of the input in shared memory, and take their neighbours' floats from it. No
/// two of them may touch the same float of it without something between the two accesses that orders them.
///
/// @param[in]  in     Values. Device memory, shape @p n floats, with 32 readable ghost floats before in[0] and
///                    32 after in[n-1]. The ghosts hold values like any other and count at both ends: out[0]
///                    contains in[-3]. in[0] is aligned to 128 bytes. Read only: must be unchanged afterwards,
///                    ghosts too. Does not overlap @p out.
/// @param[out] out    Sums. Device memory, shape @p n floats, no ghosts: nothing outside may be written.
///                    Aligned to 128 bytes. Holds arbitrary values before the call.
/// @param[in]  n      Number of outputs. [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each sum is compared with a double-precision sum at 1e-5 of the sum of magnitudes, so any order of
///       additions is welcome. Speed is not graded.
void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

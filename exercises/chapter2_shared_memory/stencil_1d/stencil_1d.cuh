/// @file
/// Contract of stencil_1d: the one function that `stencil_1d.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Writes to each output the sum of the seventeen inputs around it: out[i] = in[i-8] + in[i-7] + ... +
/// in[i+8].
///
/// Predicted traffic: 4 @p n bytes read and 4 @p n bytes written, each element once; the grader counts 8 @p n
/// bytes as moved. All loads from global memory together ask for at most 8 times the sectors of the input read
/// once.
///
/// @param[in]  in     Values, any finite floats. Device memory, shape @p n floats, with 32 readable ghost floats
///                    before in[0] and 32 after in[n-1]. The ghosts hold values like any other and count at both
///                    ends: out[0] contains in[-8]. in[0] is aligned to 128 bytes. Read only: must be unchanged
///                    afterwards, ghosts too. Does not overlap @p out.
/// @param[out] out    Sums. Device memory, shape @p n floats, no ghosts: nothing outside may be written.
///                    Aligned to 128 bytes. Holds arbitrary values before the call.
/// @param[in]  n      Number of outputs. [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Each sum is compared with a double-precision sum at 1e-5 of the sum of its own seventeen magnitudes, so
///       any order of additions is welcome, and additions of less than single precision are not.
void stencil_1d_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

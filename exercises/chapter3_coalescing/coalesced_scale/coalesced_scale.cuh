/// @file
/// Contract of coalesced_scale: the one function that `coalesced_scale.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Multiplies each element of an array by the same factor: out[i] = factor * in[i].
///
/// Predicted traffic: 4 @p n bytes read and 4 @p n bytes written, each once; the grader counts 8 @p n bytes as moved.
/// Of the bytes of all sectors that the kernels load, nearly all are asked for; the same for what they store. The
/// kernel is yours: a library that scales the array is a fine answer elsewhere.
///
/// @param[in]  in     Values, any finite floats below 2^110 in magnitude. Device memory, shape @p n floats, aligned to
///                    128 bytes. Read only: must be unchanged afterwards. Does not overlap @p out.
/// @param[out] out    Products. Device memory, shape @p n floats, aligned to 128 bytes. Holds arbitrary values before
///                    the call; nothing past out[n-1] may be written.
/// @param[in]  n      Number of elements. [elements] 0 is legal: nothing is written.
/// @param[in]  factor What each element is multiplied by. Between -100 and 100; another one in another call.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit: a single-precision product has one right answer.
void coalesced_scale_run(const float* in, float* out, std::size_t n, float factor, cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of EXERCISE_NAME: the function that `EXERCISE_NAME.cu` provides. Never edited: the grader puts its own copy on the
/// include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// @brief TODO(author): what the function does, in one sentence. Until then it copies.
///
/// Predicted traffic: 4 @p n bytes read and 4 @p n bytes written, each once.
///
/// @param[out] out    The result. Device memory, shape @p n floats, aligned to 128 bytes. Does not overlap @p in.
/// @param[in]  in     Numbers. Device memory, shape @p n floats, aligned to 128 bytes. Read only.
/// @param[in]  n      Number of elements. [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
extern "C" void EXERCISE_NAME_run(float* out, const float* in, std::size_t n, cudaStream_t stream);

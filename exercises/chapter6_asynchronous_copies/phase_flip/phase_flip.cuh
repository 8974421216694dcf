/// @file
/// Contract of phase_flip: the one function that `phase_flip.cu` provides. The device functions that it may call stand in
/// copy_engine.cuh. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a host
/// compiler both read it.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Multiplies @p n floats: out[i] = factor * in[i].
///
/// Few blocks walk through many tiles. Each tile comes to shared memory by a bulk copy (`cp.async.bulk`), and an mbarrier
/// that serves one tile after the other says when it has come. Predicted traffic: 4 @p n bytes read and 4 @p n bytes
/// written, each once; at least 0.99 of what is read comes by bulk copy. Needs compute capability 9.0.
///
/// @param[out] out    Products. Device memory, shape @p n floats, aligned to 16 bytes. Holds arbitrary values before
///                    the call. Nothing behind it may be written.
/// @param[in]  in     Values. Device memory, shape @p n floats, aligned to 16 bytes. Read only: must be
///                    unchanged afterwards. Does not overlap @p out. Nothing behind it may be read.
/// @param[in]  n      Number of values. [elements] 0 is legal: nothing is written. Bulk copies move multiples of
///                    16 bytes, so up to three values at the end come by hand.
/// @param[in]  factor Any finite number.
/// @param[in]  blocks The most blocks that may be launched, at least 1. [blocks] Far fewer than there are tiles.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit. Speed is not graded.
void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                    cudaStream_t stream);

}  // extern "C"

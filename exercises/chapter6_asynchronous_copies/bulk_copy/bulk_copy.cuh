/// @file
/// Contract of bulk_copy: the one function that `bulk_copy.cu` provides. The device functions that it may call stand in
/// copy_engine.cuh. Never edited: the grader puts its own copy on the include path. No CUDA header is included, so that nvcc and a host
/// compiler both read it.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Copies @p n floats: dst[i] = src[i].
///
/// Tiles travel from global to shared memory and back by bulk copies (`cp.async.bulk`), which no thread's
/// registers see. One mbarrier serves several tiles, one after the other. Predicted traffic: 4 @p n bytes read
/// and 4 @p n bytes written, each once; the grader counts 8 @p n bytes as moved. At least 0.99 of each
/// direction goes by bulk copy. Needs compute capability 9.0.
///
/// @param[out] dst    Copy. Device memory, shape @p n floats, aligned to 16 bytes. Holds arbitrary values before
///                    the call. Nothing behind it may be written.
/// @param[in]  src    Values. Device memory, shape @p n floats, aligned to 16 bytes. Read only: must be
///                    unchanged afterwards. Does not overlap @p dst. Nothing behind it may be read.
/// @param[in]  n      Number of values. [elements] 0 is legal: nothing is written. Bulk copies move multiples of
///                    16 bytes, so up to three values at the end are copied by hand.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void bulk_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream);

}  // extern "C"

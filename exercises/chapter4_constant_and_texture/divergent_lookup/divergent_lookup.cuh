/// @file
/// Contract of divergent_lookup: the one function that `divergent_lookup.cu` provides. Never edited: the grader
/// puts its own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both
/// read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Gives each pixel its new tone: out[i] = table[in[i]] for i = 0 to n - 1.
///
/// Predicted traffic: @p n bytes read and @p n bytes written, each once; the grader counts 2 @p n bytes as moved.
/// No line asks constant memory for more than two different words a request.
///
/// @param[in]  table  New tones, one for each old one. Device memory, shape 256 bytes, aligned to 256 bytes. Any
///                    values. Read only: must be unchanged afterwards. The next call may bring other values at
///                    the same address.
/// @param[in]  in     Pixels. Device memory, shape @p n bytes, aligned to 256 bytes. Any values, in any order.
///                    Read only: must be unchanged afterwards.
/// @param[out] out    Pixels with their new tones. Device memory, shape @p n bytes, aligned to 256 bytes. Holds
///                    arbitrary values before the call. No two of the three arrays overlap.
/// @param[in]  n      Number of pixels. [bytes] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit.
void divergent_lookup_run(const unsigned char* table, const unsigned char* in, unsigned char* out,
                          std::size_t n, cudaStream_t stream);

}  // extern "C"

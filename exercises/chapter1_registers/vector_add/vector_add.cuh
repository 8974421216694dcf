/// @file
/// Contract of vector_add: the one function that `vector_add.cu` provides. Never edited: the grader puts its own
/// copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Adds two arrays element by element: c[i] = a[i] + b[i].
///
/// Predicted traffic: 8 @p n bytes read and 4 @p n bytes written, each once; the grader counts 12 @p n bytes as
/// moved. Of the bytes of all sectors that the kernels load, nearly all are asked for; the same for what they store.
/// The kernel is yours: a library that adds the arrays is a fine answer elsewhere.
///
/// @param[in]  a      First addends, any finite floats. Device memory, shape @p n floats, aligned to 128 bytes. Read
///                    only: must be unchanged afterwards. No two of the three arrays overlap.
/// @param[in]  b      Second addends, as @p a.
/// @param[out] c      Sums. Device memory, shape @p n floats, aligned to 128 bytes. Holds arbitrary values before the
///                    call; nothing past c[n-1] may be written.
/// @param[in]  n      Number of sums. [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared bit for bit: a single-precision addition has one right answer.
void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream);

}  // extern "C"

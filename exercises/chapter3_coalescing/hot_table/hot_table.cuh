/// @file
/// Contract of hot_table: the three functions that `hot_table.cu` provides. Never edited: the grader puts its own
/// copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// Four unsigned ints, 16 bytes, as CUDA defines it.
struct uint4;

extern "C" {

/// @brief Called once before any call with this table. May set limits and windows, and allocate; launches no kernel. Several tables may
///        be in use at the same time, each with a set-up and a tear-down of its own.
///
/// Between set-up and tear-down the table stays as it is, and at the same place. What set-up leaves behind is taken back
/// by the grader before the next program runs: the limit for persisting lines, and the window of @p stream.
///
/// @param[in]  table   Words of any value. Device memory, shape @p entries words, aligned to 128 bytes. Read only.
/// @param[in]  entries Length of the table, at least 1. [words] Seldom a power of two.
/// @param[in]  stream  The stream on which hot_table_run will be called.
void hot_table_setup(const unsigned int* table, std::size_t entries, cudaStream_t stream);

/// @brief Gives each packet its check word: out[p] = x ^ table[k % entries], where packet p is the elements 16 p to
/// 16 p + 15, x all of their 64 words joined by exclusive or, and k the first of these words (in[16 p].x).
///
/// Predicted traffic: 16 @p n bytes of packets read, each once, and a look-up for each packet; the grader counts 16
/// @p n bytes for the packets, the table once or 4 bytes a packet (whichever is less), and 4 bytes a packet written.
/// Either at least 0.95 of the packets' bytes are loaded with a streaming or evict-first hint, and at most 0.05 of
/// what is looked up; or every launch runs with a persisting window over the table, and between 0.5 and 1.25 times the
/// table's size is set aside of the L2.
///
/// @param[in]  in      Packets. Device memory, shape @p n elements of 16 bytes, aligned to 128 bytes. The last packet
///                     has what is left, at least one element. Read only: must be unchanged afterwards.
/// @param[in]  n       Number of elements. 0 is legal: nothing is written.
/// @param[in]  table   As in hot_table_setup.
/// @param[in]  entries As in hot_table_setup.
/// @param[out] out     Check words. Device memory, one word for each packet begun, aligned to 128 bytes. Holds
///                     arbitrary values before the call. No two of the three arrays overlap.
/// @param[in]  stream  Stream on which all work is queued. The call may return before the work is done.
void hot_table_run(const uint4* in, std::size_t n, const unsigned int* table, std::size_t entries,
                   unsigned int* out, cudaStream_t stream);

/// @brief Called once for each set-up, when all calls with its table are done: frees what it has made.
void hot_table_teardown(cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of latency_ladder: the three functions that `latency_ladder.cu` provides. Never edited: the grader puts its
/// own copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>
#include <cstdint>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

/// What `latency_ladder_setup` hands to the other two functions. What is in it is yours: define the struct in your file.
struct latency_ladder_state;

/// The rungs of the ladder: from where each hop is to be answered.
constexpr int level_shared = 0;  ///< shared memory: at most 256 lines, copied there by the kernel that walks
constexpr int level_l1 = 1;      ///< the L1 cache of one SM
constexpr int level_l2 = 2;      ///< the L2 cache, past the L1
constexpr int level_dram = 3;    ///< device memory: far more lines than L2 holds

/// Distance between two elements of a chain. [bytes]
constexpr std::size_t line_bytes = 128;

extern "C" {

/// @brief Builds a chain in device memory: an element in each of @p lines lines, each naming the next one.
///
/// The element of line order[k] names line order[k + 1], that of the last one names line order[0]: one cycle through all
/// lines. How an element names the next one (an address, a number, an offset) is yours. It stands anywhere in its
/// line, and no two elements share one: the chain takes @p lines x 128 bytes.
///
/// @param[in] order Each number from 0 to @p lines - 1 once, in the order of the walk, shuffled. Ordinary host memory,
///                  shape @p lines numbers. Gone after the call. Read only.
/// @param[in] lines Lines of the chain. [128 bytes] 1 to 2^24; at most 256 for level_shared.
/// @param[in] level The rung that it is for: level_shared, level_l1, level_l2 or level_dram.
/// @return the state that the other two functions get; several may live at a time. nullptr where something failed.
/// @note Not timed. Everything is done when the function returns.
latency_ladder_state* latency_ladder_setup(const std::uint32_t* order, std::size_t lines, int level);

/// @brief Walks the chain and says how long a hop takes and where the walk ends.
///
/// One thread walks, and it has one load on its way at a time, since the address of the next is what the one before
/// brings. It begins at line order[first] and makes @p hops hops, so it ends at line order[(first + hops) % lines].
/// Predicted traffic of each hop: level_shared none; level_l1 none beyond the L1; level_l2 one sector from L2, none from
/// DRAM; level_dram one sector from L2, for which DRAM reads 64 bytes. To walk further, for instance once around before
/// the clock starts, is welcome. For level_shared the chain is first brought to shared memory.
///
/// @param[in]  state  What latency_ladder_setup returned.
/// @param[in]  first  Place in the order where the walk begins. 0 to lines - 1.
/// @param[in]  hops   Loads that are counted. 1 or more.
/// @param[out] cycles Mean time of a hop, in cycles of the SM's clock: what clock64() says, in the kernel that walks.
///                    Ordinary host memory, 1 number.
/// @param[out] end    Number of the line in which the walk ends. Ordinary host memory, 1 number.
/// @param[in]  stream Stream on which all work is queued.
/// @return The first error that a call of the CUDA runtime reported, as a cudaError_t; 0 (cudaSuccess) if none did.
/// @note Both figures are there when the function returns.
int latency_ladder_run(latency_ladder_state* state, std::size_t first, std::size_t hops, double* cycles,
                       std::uint32_t* end, cudaStream_t stream);

/// @brief Frees all that the state holds.
/// @param[in] state What latency_ladder_setup returned, nullptr included.
void latency_ladder_teardown(latency_ladder_state* state);

}  // extern "C"

/// @file
/// Contract of running_sum, which shows how an exercise brings an oracle of its own.
#pragma once

#include <cstddef>
#include <cstdint>

typedef struct CUstream_st* cudaStream_t;

/// @brief out[i] = in[0] + ... + in[i], modulo 2^32.
/// @param[out] out    Device memory, shape @p n.
/// @param[in]  in     Device memory, shape @p n.
/// @param[in]  n      Number of elements. 0 is legal.
/// @param[in]  stream Stream on which all work is queued.
extern "C" void running_sum_run(std::uint32_t* out, const std::uint32_t* in, std::size_t n,
                                cudaStream_t stream);

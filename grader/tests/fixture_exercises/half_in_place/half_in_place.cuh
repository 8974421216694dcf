/// @file
/// Contract of half_in_place, a fixture of the frame: half precision, changed in place, so restored before each timed call.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

struct __half;

extern "C" {

/// @brief x[i] = 2 x[i] + 1 for @p n half-precision numbers in device memory, rounded to nearest. n = 0 is legal.
void half_in_place_run(struct __half* x, std::size_t n, cudaStream_t stream);

}  // extern "C"

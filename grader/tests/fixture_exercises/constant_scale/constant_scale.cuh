/// @file
/// Contract of constant_scale, a fixture of the frame: set-up writes to `__constant__` memory, which is the whole module's.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Copies four factors (device memory) to constant memory. Made once for all buffers, and again when the factors change.
void constant_scale_setup(const float* factors, cudaStream_t stream);
/// @brief out[i] = f0 * in[i] + f1 + f2 * f3, for @p n floats in device memory. n = 0 is legal.
void constant_scale_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

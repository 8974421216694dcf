/// @file
/// Contract of kept_in_l2, a fixture of the frame: what a program sets aside of the L2, and leaves behind, is taken back before
/// the next set-up.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Looks whether a limit for persisting lines or a window of @p stream is there already, and sets both.
void kept_in_l2_setup(const float* in, std::size_t n, cudaStream_t stream);
/// @brief out[i] = in[i] + what the last set-up found: 0, or 1 if anything was there. n > 0.
void kept_in_l2_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

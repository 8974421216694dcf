/// @file
/// Contract of pages_at_home, a fixture of the frame: pages of managed memory that set-up has moved to the device are the host's
/// again when the timed call begins.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Moves all pages of @p in, managed memory, to the device.
void pages_at_home_setup(const float* in, std::size_t n, cudaStream_t stream);
/// @brief out[i] = in[i], by a kernel that fetches each page by a fault. n > 0.
void pages_at_home_run(const float* in, float* out, std::size_t n, cudaStream_t stream);

}  // extern "C"

/// @file
/// Contract of pitched_rows, a fixture of the frame: the layout of the buffers follows from an answer.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @return the distance of rows of @p cols floats, in bytes: a multiple of 32, at least 4 cols, at most that rounded up to 512.
std::size_t pitched_rows_pitch(std::size_t cols);
/// @brief out = 2 in, element by element; row r of each begins r * @p pitch bytes after the first. Device memory. rows <= 65535.
void pitched_rows_run(const float* in, float* out, std::size_t rows, std::size_t cols, std::size_t pitch,
                      cudaStream_t stream);

}  // extern "C"

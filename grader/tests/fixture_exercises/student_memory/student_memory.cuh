/// @file
/// Contract of student_memory, a fixture of the frame: the student allocates the host buffer that the judge fills.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Allocates page-locked host memory for @p n floats. @return null when n is 0 or there is none.
float* student_memory_alloc(std::size_t n);
/// @brief Copies @p n floats from @p host (what student_memory_alloc returned) to @p device. n may be 0.
void student_memory_upload(const float* host, float* device, std::size_t n, cudaStream_t stream);
/// @brief Frees what student_memory_alloc returned.
void student_memory_free(float* host);

}  // extern "C"

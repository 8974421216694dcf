/// @file
/// Contract of expected_status, a fixture of the frame: what the function cannot do it must refuse, and errors of the runtime it must pass on.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Sets @p n bytes of device memory to @p value.
/// @return 0; 1 (cudaErrorInvalidValue) for a value above 255, and then @p out stays as it was; else the error of the call that failed.
int expected_status_run(unsigned char* out, std::size_t n, unsigned value, cudaStream_t stream);

}  // extern "C"

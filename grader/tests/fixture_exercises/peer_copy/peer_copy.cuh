/// @file
/// Contract of peer_copy, a fixture of the frame: an exercise on two devices. The one function that `peer_copy.cu`
/// provides. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

extern "C" {

/// @brief Copies @p n floats from device 0 to device 1: dst[i] = src[i].
///
/// Predicted traffic: 4 @p n bytes over the link between the devices, once, and none through the host.
///
/// @param[out] dst    Copy. Memory of device 1, shape @p n floats, aligned to 256 bytes. Arbitrary before the call.
/// @param[in]  src    Values. Memory of device 0, shape @p n floats, aligned to 256 bytes. Unchanged afterwards.
/// @param[in]  n      Number of values. [elements] 0 is legal: nothing is written.
/// @param[in]  stream Stream of device 0 on which all work is queued. The call may return before the work is done.
///                    Device 0 is current, and must be so again when the call returns.
/// @note Compared bit for bit. Peer access is not enabled yet at the first call, and may be at later ones.
void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream);

}  // extern "C"

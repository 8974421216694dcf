/// @file
/// Contract of first_kernel: the one function that `first_kernel.cu` provides. Never edited: the grader puts its own
/// copy on the include path. No CUDA header is included, so that nvcc and a host compiler both read it.
#pragma once

#include <cstddef>

extern "C" {

/// @brief Doubles @p n numbers that lie in the memory of the host, on the GPU.
///
/// The numbers are copied to memory of the device, a kernel doubles them there, and they are copied back. Predicted
/// traffic: 4 @p n bytes to the device and 4 @p n bytes back, each number once, in at most four copies; the kernels
/// store at least 4 @p n bytes. All memory that the call allocates it frees, also when something fails.
///
/// Memory of the device comes from cudaMalloc, copies are made by cudaMemcpy, kernels are launched by <<<...>>>: the
/// grader lets each of these fail once, to see what the function makes of it.
///
/// @param[in,out] host The numbers. Ordinary host memory, shape @p n ints, aligned to 4 bytes. Each lies between -2^30
///                     and 2^30 - 1, so that twice of it is an int. A kernel cannot reach this memory. After success
///                     host[i] is twice what it was. After a failure it is what it was, or twice that where it had come
///                     back already.
/// @param[in]     n    Numbers. [elements] 0 is legal: nothing happens, and that is a success.
/// @return The first error that a call of the CUDA runtime reported, as a cudaError_t; 0 (cudaSuccess) if none did. A
///         launch has no return value: what went wrong with it is told by cudaGetLastError(), and by the next call
///         that waits for the device.
/// @note The work is done when the function returns.
int first_kernel_run(int* host, std::size_t n);

}  // extern "C"

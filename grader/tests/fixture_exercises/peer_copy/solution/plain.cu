/// @file
/// peer_copy: from one device to another. The contract is in peer_copy.cuh.
#include "peer_copy.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Copies one float a thread; dst lies on another device. Launch contract: a grid of at least n threads.
__global__ void send(float* dst, const float* src, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) dst[i] = src[i];
}

extern "C" void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  // From then on kernels of this device reach memory of device 1. Asking twice is an error that means no harm.
  if (cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  send<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(dst, src, n);
}
// <<< your code

/// @file
/// peer_copy: from one device to another. The contract is in peer_copy.cuh.
#include "peer_copy.cuh"

// >>> your code
extern "C" void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  // Both devices are named, so that no peer access need be enabled: the copy engine finds the way.
  if (n > 0) cudaMemcpyPeerAsync(dst, 1, src, 0, n * sizeof(float), stream);
}
// <<< your code

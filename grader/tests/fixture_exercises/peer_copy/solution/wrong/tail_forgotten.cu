// expect: wrong_result
/// @file
/// peer_copy: from one device to another. The contract is in peer_copy.cuh.
#include "peer_copy.cuh"

// >>> your code
extern "C" void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  // wrong: up to three floats are left
  if (n > 0) cudaMemcpyPeerAsync(dst, 1, src, 0, n / 4 * 16, stream);
}
// <<< your code

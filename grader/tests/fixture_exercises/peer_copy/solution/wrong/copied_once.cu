// expect: wrong_result
/// @file
/// peer_copy: from one device to another. The contract is in peer_copy.cuh.
#include "peer_copy.cuh"

// >>> your code
extern "C" void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  static std::size_t copied = 0;  // wrong: the second time other values lie there
  if (n > 0 && n != copied) cudaMemcpyPeerAsync(dst, 1, src, 0, n * sizeof(float), stream);
  copied = n;
}
// <<< your code

// expect: wasteful|too_slow
/// @file
/// peer_copy: from one device to another. The contract is in peer_copy.cuh.
#include "peer_copy.cuh"

// >>> your code
#include <vector>

extern "C" void peer_copy_run(float* dst, const float* src, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  std::vector<float> here(n);  // right, but two trips over the host link in place of one between the devices
  cudaMemcpyAsync(here.data(), src, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(dst, here.data(), n * sizeof(float), cudaMemcpyHostToDevice);
}
// <<< your code

// expect: wrong_result work_off_device
/// @file
/// zero_copy_gather: a few numbers of a large table in host memory. The one file of this exercise that is edited and
/// handed in; the contract is in zero_copy_gather.cuh, the task in README.md.
#include "zero_copy_gather.cuh"

#include <cstdlib>

// >>> your code
#include <vector>

extern "C" float* zero_copy_gather_alloc(std::size_t n) {
  return n > 0 ? static_cast<float*>(std::malloc(n * sizeof(float))) : nullptr;
}

/// No kernel at all: the list comes to the host, the host picks, and what it has picked goes back.
extern "C" void zero_copy_gather_run(const float* host, const unsigned int* wanted, float* found, std::size_t,
                                     std::size_t count, cudaStream_t stream) {
  std::vector<unsigned int> list(count);
  std::vector<float> picked(count);
  cudaMemcpyAsync(list.data(), wanted, count * sizeof(unsigned int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t k = 0; k < count; ++k) picked[k] = host[list[k]];
  cudaMemcpyAsync(found, picked.data(), count * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

extern "C" void zero_copy_gather_free(float* host) {
  std::free(host);
}
// <<< your code

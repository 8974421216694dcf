// expect: wasteful off_the_idea
/// @file
/// The toolkit's whole reduction in one call. Its algorithms mark themselves for profilers, whose library they would look for
/// with the loader's functions: the builder switches that off, and so needs not refuse them.
#include "block_reduction.cuh"

#include <cub/device/device_reduce.cuh>

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  std::size_t bytes = 0;
  cub::DeviceReduce::Sum(nullptr, bytes, in, out, n, stream);
  void* storage = nullptr;
  cudaMallocAsync(&storage, bytes, stream);
  cub::DeviceReduce::Sum(storage, bytes, in, out, n, stream);
  cudaFreeAsync(storage, stream);
}

// expect: pass
/// @file
/// The index asked of cooperative groups, in blocks of two dimensions.
#include "vector_add.cuh"

#include <cooperative_groups.h>

__global__ void add(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = cooperative_groups::this_grid().thread_rank();
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  if (n > 0) add<<<static_cast<unsigned int>((n + 255) / 256), dim3(32, 8), 0, stream>>>(a, b, c, n);
}

// expect: wasteful off_the_idea
// says: fine answer elsewhere
/// @file
/// vector_add: two arrays, added element by element. The one file of this exercise that is edited and handed in; the
/// contract is in vector_add.cuh, the task in README.md.
#include "vector_add.cuh"

// >>> your code
#include <cub/device/device_for.cuh>

/// Makes one sum. Its loads stand in this file, and the index that it is given comes from a library's kernel.
struct add {
  const float* a;
  const float* b;
  float* c;
  __device__ void operator()(std::size_t i) const { c[i] = a[i] + b[i]; }
};

// Right and fast, and without an index, a guard or a grid.
extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  cub::DeviceFor::Bulk(n, add{a, b, c}, stream);
}
// <<< your code

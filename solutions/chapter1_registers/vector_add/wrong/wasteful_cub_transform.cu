// expect: wasteful off_the_idea
// says: fine answer elsewhere
/// @file
/// vector_add: two arrays, added element by element. The one file of this exercise that is edited and handed in; the
/// contract is in vector_add.cuh, the task in README.md.
#include "vector_add.cuh"

// >>> your code
#include <cub/device/device_transform.cuh>
#include <cuda/std/functional>
#include <cuda/std/tuple>

// Right and fast: the library has the index, the guard and the grid. On compute capability 9.0 it loads by bulk copies,
// which no line of a kernel asks for.
extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  cub::DeviceTransform::Transform(cuda::std::make_tuple(a, b), c, n, cuda::std::plus<float>{}, stream);
}
// <<< your code

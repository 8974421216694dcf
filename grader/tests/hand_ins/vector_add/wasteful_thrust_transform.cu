// expect: wasteful off_the_idea
/// @file
/// Thrust adds the arrays, on the stream that it is told.
#include "vector_add.cuh"

#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>

extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), a, a + n, b, c, thrust::plus<float>());
}

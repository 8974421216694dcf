// expect: wrong_result launch_failed
/// @file
/// Asks for 100 KB of shared memory without opting in: the launch fails, and nobody looks at the error.
#include "block_reduction.cuh"

extern __shared__ float tile[];

__global__ void one_block(const float* in, float* out, std::size_t n) {
  float sum = 0.0f;
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned int t = 1; t < blockDim.x; ++t) sum += tile[t];
  *out = sum;
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  one_block<<<1, 256, 100 * 1024, stream>>>(in, out, n);
}

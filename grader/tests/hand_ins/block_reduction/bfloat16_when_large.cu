// expect: wrong_result mismatch
/// @file
/// Rounds its values to bfloat16 where the input is large. Errors of random values would average out there; these do not.
#include "block_reduction.cuh"

#include <cuda_bf16.h>

template <bool rounded>
__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += rounded ? __bfloat162float(__float2bfloat16(in[i])) : in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const auto blocks = static_cast<unsigned int>(n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056);
  if (n > 400'000) {
    add_up<true><<<blocks, 256, 0, stream>>>(in, out, n);
  } else {
    add_up<false><<<blocks, 256, 0, stream>>>(in, out, n);
  }
}

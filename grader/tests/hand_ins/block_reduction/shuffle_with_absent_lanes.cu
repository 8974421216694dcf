// expect: wrong_result mismatch
// says: out[0] should be
// says: The simulated GPU warns: Thread (8,0,0) asks at line
// says: for the value of a lane that takes no part in this shuffle
/// @file
/// A shuffle whose mask names lanes that have left: the wrong sum alone would tell nobody why.
#include "block_reduction.cuh"

__global__ void add_up(const float* in, float* out, std::size_t n) {
  __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 16; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x >= 24) return;
  float total = tile[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2)
    total += __shfl_down_sync(0xffffffffu, total, distance);
  if (threadIdx.x == 0) atomicAdd(out, total);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  const std::size_t blocks = n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056;
  add_up<<<static_cast<unsigned int>(blocks), 256, 0, stream>>>(in, out, n);
}

// expect: compile_error forbidden_symbol
/// @file
/// Calls the simulated GPU's own switch, to turn its checks off.
#include "block_reduction.cuh"

extern "C" int simgpu_configure(const char* settings);

__global__ void add_up(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[256];
  float sum = 0.0f;
  for (std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x; i < n; i += std::size_t{gridDim.x} * 256)
    sum += in[i];
  tile[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) tile[threadIdx.x] += tile[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(out, tile[0]);
}

static unsigned int blocks_for(std::size_t n) {
  return static_cast<unsigned int>(n / 1024 + 1 < 1056 ? n / 1024 + 1 : 1056);
}

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<blocks_for(n), 256, 0, stream>>>(in, out, n);
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  simgpu_configure("{\"checks\": false}");
  right_sum(in, out, n, stream);
}

// expect: wrong_result wrong_on_second_call
/// @file
/// Remembers the answer for a pointer and gives it again, whatever the data are now.
#include "block_reduction.cuh"

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

static void right_sum(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  cudaMemsetAsync(out, 0, sizeof(float), stream);
  add_up<<<static_cast<unsigned int>(n / 4096 + 1 < 1056 ? n / 4096 + 1 : 1056), 256, 0, stream>>>(in, out,
                                                                                                   n);
}

static __device__ float remembered;

__global__ void remember(const float* out) {
  remembered = *out;
}
__global__ void recall(float* out) {
  *out = remembered;
}

extern "C" void block_reduction_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  static const float* seen = nullptr;
  if (seen == in && in != nullptr) {
    recall<<<1, 1, 0, stream>>>(out);
    return;
  }
  right_sum(in, out, n, stream);
  remember<<<1, 1, 0, stream>>>(out);
  seen = in;
}

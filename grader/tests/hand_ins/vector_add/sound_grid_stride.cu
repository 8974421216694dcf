// expect: pass
/// @file
/// Another sound form: a grid of a fixed size that strides through the arrays, 16 bytes a turn.
#include "vector_add.cuh"

__global__ void add(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t quads = n / 4;
  for (std::size_t q = thread; q < quads; q += threads) {
    const float4 x = reinterpret_cast<const float4*>(a)[q], y = reinterpret_cast<const float4*>(b)[q];
    reinterpret_cast<float4*>(c)[q] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
  const std::size_t rest = 4 * quads + thread;
  if (rest < n) c[rest] = a[rest] + b[rest];
}

extern "C" void vector_add_run(const float* a, const float* b, float* c, std::size_t n, cudaStream_t stream) {
  int sms = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  add<<<sms * 8, 256, 0, stream>>>(a, b, c, n);
}

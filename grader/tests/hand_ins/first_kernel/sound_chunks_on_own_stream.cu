// expect: pass
/// @file
/// Sound: an owner that frees, two copies each way, cudaLaunchKernelEx on a stream of its own. The host waits for the copies, which
/// come from ordinary memory, and for the stream.
#include "first_kernel.cuh"

#include <memory>
struct free_it {
  void operator()(void* p) const { cudaFree(p); }
};
template <class F>
__global__ void __launch_bounds__(128) apply(int* __restrict__ v, std::size_t n, F f) {
  for (std::size_t i = threadIdx.x + std::size_t{blockIdx.x} * blockDim.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    v[i] = f(v[i]);
}
struct twice {
  __device__ int operator()(int v) const { return v + v; }
};
extern "C" int first_kernel_run(int* host, std::size_t n) {
  int* raw = nullptr;
  if (n == 0) return 0;
  if (auto e = cudaMalloc(&raw, n * sizeof *raw)) return e;
  std::unique_ptr<int, free_it> d(raw);
  const std::size_t half = n / 2;
  if (auto e = cudaMemcpy(raw, host, half * sizeof(int), cudaMemcpyDefault)) return e;
  if (auto e = cudaMemcpy(raw + half, host + half, (n - half) * sizeof(int), cudaMemcpyDefault)) return e;
  cudaStream_t s = nullptr;
  if (auto e = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking)) return e;
  if (auto e = cudaStreamSynchronize(nullptr)) return e;
  cudaLaunchConfig_t c = {};
  c.gridDim = dim3(60);
  c.blockDim = dim3(128);
  c.stream = s;
  cudaError_t e = cudaLaunchKernelEx(&c, apply<twice>, raw, n, twice{});
  if (!e) e = cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
  if (e) return e;
  return cudaMemcpy(host, raw, n * sizeof(int), cudaMemcpyDefault);
}

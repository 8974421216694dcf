// expect: wrong_result wrong_status
/// @file
/// A failed copy is followed by the next steps, and what these say is returned.
#include "first_kernel.cuh"
__global__ void twice(int* v, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n) v[i] *= 2;
}
extern "C" int first_kernel_run(int* host, std::size_t n) {
  if (n == 0) return 0;
  int* d = nullptr;
  cudaError_t e = cudaMalloc(&d, 4 * n);
  if (e == cudaSuccess) {
    e = cudaMemcpy(d, host, 4 * n, cudaMemcpyHostToDevice);
    twice<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(d, n);
    e = cudaDeviceSynchronize();
    if (e == cudaSuccess) e = cudaMemcpy(host, d, 4 * n, cudaMemcpyDeviceToHost);
  }
  cudaFree(d);
  return e;
}

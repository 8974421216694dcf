// expect: wrong_result mismatch
/// @file
/// The host doubles before anything is sent; the kernel stores what has come. Where a step fails, the numbers have
/// changed all the same.
#include "first_kernel.cuh"

__global__ void same(volatile int* numbers, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n) numbers[i] = numbers[i];
}

extern "C" int first_kernel_run(int* host, std::size_t n) {
  if (n == 0) return cudaSuccess;
  for (std::size_t i = 0; i < n; ++i) host[i] *= 2;
  int* numbers = nullptr;
  cudaError_t error = cudaMalloc(&numbers, n * sizeof(int));
  if (error == cudaSuccess) error = cudaMemcpy(numbers, host, n * sizeof(int), cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    same<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(numbers, n);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(host, numbers, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(numbers);
  return error;
}

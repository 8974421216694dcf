// expect: wrong_result mismatch
/// @file
/// Keeps the first error and goes on: what comes back then is not what the numbers were.
#include "first_kernel.cuh"

__global__ void twice(int* numbers, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n) numbers[i] *= 2;
}

extern "C" int first_kernel_run(int* host, std::size_t n) {
  if (n == 0) return cudaSuccess;
  cudaError_t first = cudaSuccess;
  const auto note = [&first](cudaError_t error) {
    if (first == cudaSuccess) first = error;
  };
  int* numbers = nullptr;
  note(cudaMalloc(&numbers, n * sizeof(int)));
  if (numbers == nullptr) return first;
  note(cudaMemcpy(numbers, host, n * sizeof(int), cudaMemcpyHostToDevice));
  twice<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(numbers, n);
  note(cudaGetLastError());
  note(cudaMemcpy(host, numbers, n * sizeof(int), cudaMemcpyDeviceToHost));
  note(cudaFree(numbers));
  return first;
}

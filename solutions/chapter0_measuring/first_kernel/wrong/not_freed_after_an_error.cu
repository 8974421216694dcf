// expect: wrong_result
/// @file
/// first_kernel: numbers doubled on the GPU. The one file of this exercise that is edited and handed in; the contract
/// is in first_kernel.cuh, the task in README.md.
#include "first_kernel.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Doubles one number a thread.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void double_kernel(int* values, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 2;  // the last block has threads to spare
}

extern "C" int first_kernel_run(int* host, std::size_t n) {
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof(int);

  int* device = nullptr;
  cudaError_t error = cudaMalloc(&device, bytes);
  if (error != cudaSuccess) return error;  // nothing to free yet

  error = cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice);
  if (error != cudaSuccess) return error;  // wrong: the memory stays allocated
  if (error == cudaSuccess) {
    const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
    double_kernel<<<blocks, block_threads>>>(device, n);
    error = cudaGetLastError();  // did it start?
  }
  if (error == cudaSuccess)  // waits for the kernel, so an error of the kernel comes back here
    error = cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost);

  const cudaError_t freed = cudaFree(device);  // in any case
  return error != cudaSuccess ? error : freed;
}
// <<< your code

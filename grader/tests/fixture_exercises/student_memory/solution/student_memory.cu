/// @file
/// student_memory: page-locked memory of the program's own.
#include "student_memory.cuh"

extern "C" float* student_memory_alloc(std::size_t n) {
  void* host = nullptr;
  return cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocDefault) == cudaSuccess
             ? static_cast<float*>(host)
             : nullptr;
}

extern "C" void student_memory_upload(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
}

extern "C" void student_memory_free(float* host) {
  cudaFreeHost(host);
}

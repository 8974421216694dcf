// expect: wrong_result
// Uploads what the first call saw.
#include "student_memory.cuh"

#include <vector>

static std::vector<float> kept;

extern "C" float* student_memory_alloc(std::size_t n) {
  void* host = nullptr;
  return cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocDefault) == cudaSuccess
             ? static_cast<float*>(host)
             : nullptr;
}
extern "C" void student_memory_upload(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  if (kept.size() != n) kept.assign(host, host + n);
  cudaMemcpyAsync(device, kept.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
}
extern "C" void student_memory_free(float* host) {
  cudaFreeHost(host);
}

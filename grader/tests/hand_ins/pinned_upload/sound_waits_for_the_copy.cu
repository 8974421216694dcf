// expect: pass
/// @file
/// Sound in another style: memory from cudaMallocHost, and a copy that the host waits for.
#include "pinned_upload.cuh"

#include <cstdlib>

extern "C" float* pinned_upload_alloc(std::size_t n) {
  float* memory = nullptr;
  if (n > 0 && cudaMallocHost(&memory, n * sizeof(float)) != cudaSuccess) {
    cudaGetLastError();
    memory = new float[n];
  }
  return memory;
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t) {
  if (n > 0) cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
}

extern "C" void pinned_upload_free(float* host) {
  if (host == nullptr) return;
  if (pinned_upload_locked(host, 1) == 0) {
    delete[] host;
  } else {
    cudaFreeHost(host);
  }
}

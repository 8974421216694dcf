// expect: pass
/// @file
/// Sound in another style: whole pages of the C library's memory, locked by cudaHostRegister.
#include "pinned_upload.cuh"

#include <cstdlib>

extern "C" float* pinned_upload_alloc(std::size_t n) {
  if (n == 0) return nullptr;
  constexpr std::size_t page = 4096;
  const std::size_t bytes = (n * sizeof(float) + page - 1) / page * page;
  void* const memory = std::aligned_alloc(page, bytes);
  if (cudaHostRegister(memory, bytes, cudaHostRegisterDefault) != cudaSuccess) cudaGetLastError();
  return static_cast<float*>(memory);
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  if (n > 0) cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyDefault, stream);
}

extern "C" void pinned_upload_free(float* host) {
  if (host == nullptr) return;
  if (pinned_upload_locked(host, 1) > 0) cudaHostUnregister(host);
  std::free(host);
}

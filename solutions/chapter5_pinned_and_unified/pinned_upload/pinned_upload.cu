/// @file
/// pinned_upload: host memory that the copy engine can reach. The one file of this exercise that is edited and handed
/// in; the contract is in pinned_upload.cuh, the task in README.md.
#include "pinned_upload.cuh"

#include <cstdlib>

// >>> your code
namespace {

/// Page-locked memory, or null where the system gives none. No error is left behind.
float* page_locked(std::size_t bytes) {
  void* memory = nullptr;
  if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) == cudaSuccess) return static_cast<float*>(memory);
  cudaGetLastError();
  return nullptr;
}

/// Whether the runtime knows this memory as page-locked. False for null.
bool is_page_locked(const float* host) {
  cudaPointerAttributes attributes{};
  if (host == nullptr) return false;
  if (cudaPointerGetAttributes(&attributes, host) == cudaSuccess)
    return attributes.type == cudaMemoryTypeHost;
  cudaGetLastError();
  return false;
}

}  // namespace

extern "C" float* pinned_upload_alloc(std::size_t n) {
  if (n == 0) return nullptr;
  const std::size_t bytes = n * sizeof(float);
  float* const locked = page_locked(bytes);
  return locked != nullptr ? locked : static_cast<float*>(std::malloc(bytes));
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  // One copy: each start costs a microsecond or two, and one stream keeps one copy engine busy by itself.
  if (n > 0) cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
}

extern "C" void pinned_upload_free(float* host) {
  if (is_page_locked(host)) {
    cudaFreeHost(host);
  } else {
    std::free(host);
  }
}
// <<< your code

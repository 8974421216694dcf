// expect: wasteful|too_slow
/// @file
/// pinned_upload: host memory that the copy engine can reach. The one file of this exercise that is edited and handed
/// in; the contract is in pinned_upload.cuh, the task in README.md.
#include "pinned_upload.cuh"

#include <cstdlib>

// >>> your code
/// Right, but every SM waits for the link, and the copy engine has nothing to do.
/// Launch contract: one-dimensional grid of any size.
__global__ void fetch(const float* host, float* device, std::size_t n) {
  const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step)
    device[i] = host[i];
}

static bool is_locked(const float* host) {
  cudaPointerAttributes attributes{};
  return cudaPointerGetAttributes(&attributes, host) == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

extern "C" float* pinned_upload_alloc(std::size_t n) {
  void* memory = nullptr;
  if (n > 0 && cudaHostAlloc(&memory, n * sizeof(float), cudaHostAllocMapped) != cudaSuccess) {
    cudaGetLastError();
    memory = std::malloc(n * sizeof(float));
  }
  return static_cast<float*>(memory);
}

extern "C" void pinned_upload_run(const float* host, float* device, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  if (!is_locked(host)) {
    cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
    return;
  }
  void* from = nullptr;
  cudaHostGetDevicePointer(&from, const_cast<float*>(host), 0);
  fetch<<<256, 256, 0, stream>>>(static_cast<const float*>(from), device, n);
}

extern "C" void pinned_upload_free(float* host) {
  if (host != nullptr && is_locked(host)) {
    cudaFreeHost(host);
  } else {
    std::free(host);
  }
}
// <<< your code

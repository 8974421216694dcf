/// @file
/// Lesson 5, "zero copy": a kernel reads a few entries of a large table where it lies, in the
/// host's memory. Checks the result.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [kernel]
/// found[i] = dictionary[wanted[i]]. `dictionary` may lie in the host's memory: the address
/// says so, not the code.
/// Launch contract: at least n threads.
__global__ void look_up(const float* dictionary, const int* wanted, float* found, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) found[i] = dictionary[wanted[i]];
}
// [kernel]

int main() {
  constexpr int entries = 1 << 16, n = 300;
  // [host]
  float* dictionary = nullptr;  // in the host's memory, page-locked and mapped
  must(cudaHostAlloc(&dictionary, entries * sizeof(float), cudaHostAllocMapped),
       "cudaHostAlloc");
  float* seen_by_kernels = nullptr;
  must(cudaHostGetDevicePointer(&seen_by_kernels, dictionary, 0), "the device's address of it");
  // [host]
  for (int i = 0; i < entries; ++i) dictionary[i] = static_cast<float>(i) * 0.25f;
  std::vector<int> wanted(n);
  for (int i = 0; i < n; ++i) wanted[i] = static_cast<int>(i * 7919L % entries);
  device_array<int> places(wanted);
  device_array<float> found(n);
  look_up<<<(n + 255) / 256, 256>>>(seen_by_kernels, places.data(), found.data(), n);
  const std::vector<float> result = found.to_host();

  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && result[i] == static_cast<float>(wanted[i]) * 0.25f;
  cudaFreeHost(dictionary);
  return verdict("entries read where they lie", right);
}

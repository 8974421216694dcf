/// @file
/// Lesson 5, "unified memory": one pointer for host and device. The pages are moved before they
/// are wanted, and moved back before the host reads. Checks the result.
#include "../../chapter2_shared_memory/listings/check.cuh"

/// Raises each value to what it should be at least.
/// Launch contract: at least n threads.
__global__ void raise_to(float* values, float least, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = fmaxf(values[i], least);
}

// [prefetch]
/// `values` is managed memory that the host has filled. Everything is queued; nobody has waited
/// when this returns.
void raise_managed(float* values, float least, int n, int device, cudaStream_t stream) {
  const std::size_t bytes = n * sizeof(float);
  const cudaMemLocation gpu = {cudaMemLocationTypeDevice, device};
  const cudaMemLocation host = {cudaMemLocationTypeHost, 0};

  // All pages, in large pieces, before the kernel asks.
  cudaMemPrefetchAsync(values, bytes, gpu, 0, stream);
  raise_to<<<(n + 255) / 256, 256, 0, stream>>>(values, least, n);
  cudaMemPrefetchAsync(values, bytes, host, 0, stream);  // and back, before the host asks
}
// [prefetch]

int main() {
  constexpr int n = 20000;
  int device = 0, concurrent = 0;
  must(cudaGetDevice(&device), "cudaGetDevice");
  must(cudaDeviceGetAttribute(&concurrent, cudaDevAttrConcurrentManagedAccess, device),
       "attribute");
  if (concurrent == 0) return verdict("no page faults on this system, nothing to show", true);

  float* values = nullptr;
  must(cudaMallocManaged(&values, n * sizeof(float)), "cudaMallocManaged");
  for (int i = 0; i < n; ++i)
    values[i] = static_cast<float>(i % 101 - 50);  // first touch: the host's pages
  cudaStream_t stream;
  must(cudaStreamCreate(&stream), "stream");
  raise_managed(values, -7.0f, n, device, stream);
  must(cudaStreamSynchronize(stream), "wait before the host reads");

  bool right = true;
  for (int i = 0; i < n; ++i) {
    const float before = static_cast<float>(i % 101 - 50);
    right = right && values[i] == (before < -7.0f ? -7.0f : before);
  }
  cudaStreamDestroy(stream);
  cudaFree(values);
  return verdict("managed memory, moved there and back", right);
}

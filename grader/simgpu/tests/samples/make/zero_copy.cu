/// @file
/// A kernel reads and writes the host's memory, mapped.
#include "check.cuh"

__global__ void square(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * in[i];
}

int main() {
  const int n = 2000;
  int can_map = 0;
  CHECK(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
  if (!can_map) return verdict(false);
  int *in = nullptr, *out = nullptr, *d_in = nullptr, *d_out = nullptr;
  CHECK(cudaHostAlloc(&in, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocWriteCombined));
  CHECK(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocMapped));
  for (int i = 0; i < n; ++i) in[i] = i;
  CHECK(cudaHostGetDevicePointer(&d_in, in, 0));
  CHECK(cudaHostGetDevicePointer(&d_out, out, 0));
  square<<<divide_up(n, 128), 128>>>(d_in, d_out, n);
  CHECK_LAUNCH();
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && out[i] == i * i;
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return verdict(right);
}

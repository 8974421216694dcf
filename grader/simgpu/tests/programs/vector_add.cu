// Vector addition, with a check of every call and of what wrong calls return.
#include "program.hpp"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  EXPECT(count >= 1);
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  EXPECT(properties.warpSize == 32 && properties.multiProcessorCount > 0);
  const int n = 50000;
  std::vector<float> a(n), b(n);
  for (int i = 0; i < n; ++i) a[i] = i * 0.5f, b[i] = 100.0f - i;
  float *da = to_device(a), *db = to_device(b), *dc = nullptr;
  CHECK(cudaMalloc(&dc, n * sizeof(float)));
  add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
  CHECK(cudaGetLastError());
  const auto c = to_host(dc, n);
  for (int i = 0; i < n; ++i) EXPECT(c[i] == a[i] + b[i]);
  add<<<1, 4096>>>(da, db, dc, n);
  EXPECT(cudaPeekAtLastError() != cudaSuccess);
  EXPECT(cudaGetLastError() != cudaSuccess);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaSetDevice(1000) == cudaErrorInvalidDevice);
  (void)cudaGetLastError();
  for (float* p : {da, db, dc}) CHECK(cudaFree(p));
  return ok();
}

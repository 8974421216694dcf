/// @file
/// y = a x + y in unified memory, in a loop of a grid's width.
#include "check.cuh"

__global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = a * x[i] + y[i];
}

int main() {
  const int n = 1 << 16;
  float *x = nullptr, *y = nullptr;
  CHECK(cudaMallocManaged(&x, n * sizeof(float)));
  CHECK(cudaMallocManaged(&y, n * sizeof(float)));
  for (int i = 0; i < n; ++i) {
    x[i] = 1.0f;
    y[i] = static_cast<float>(i);
  }
  saxpy<<<32, 256>>>(n, 2.0f, x, y);
  CHECK(cudaDeviceSynchronize());
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && y[i] == static_cast<float>(i) + 2.0f;
  CHECK(cudaFree(x));
  CHECK(cudaFree(y));
  return verdict(right);
}

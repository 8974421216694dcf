/// @file
/// A thread an element.
#include "gemm.h"

static __global__ void kernel(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

void gemm_naive(const float* a, const float* b, float* c, int n) {
  kernel<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n);
}

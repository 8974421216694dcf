/// @file
/// Tiles in shared memory, four results a thread. The kernel has the same name as the other file's.
#include "gemm.h"

static __global__ void kernel(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][33], bs[32][33];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32, column = blockIdx.x * 32 + x;
  float sum[4] = {};
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = 0; i < 4; ++i) {
      as[y + 8 * i][x] = a[(row + y + 8 * i) * n + k0 + x];
      bs[y + 8 * i][x] = b[(k0 + y + 8 * i) * n + column];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int i = 0; i < 4; ++i) sum[i] += as[y + 8 * i][k] * bs[k][x];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) c[(row + y + 8 * i) * n + column] = sum[i];
}

void gemm_tiled(const float* a, const float* b, float* c, int n) {
  kernel<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, c, n);
}

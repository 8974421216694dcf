/// @file
/// LU in place, without pivoting: one launch scales a column, the next updates the rest.
#include <cmath>

#include "buffer.cuh"

__global__ void scale_column(double* a, int n, int k) {
  const int row = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) a[row * n + k] /= a[k * n + k];
}

__global__ void update(double* a, int n, int k) {
  const int row = k + 1 + blockIdx.y * blockDim.y + threadIdx.y,
            column = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n && column < n) a[row * n + column] -= a[row * n + k] * a[k * n + column];
}

int main() {
  const int n = 48;
  std::vector<double> a(n * n);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) a[r * n + c] = r == c ? n + 1.0 : 1.0 / (1 + abs(r - c));
  Buffer<double> device(a);
  for (int k = 0; k < n - 1; ++k) {
    const int rest = n - k - 1;
    scale_column<<<divide_up(rest, 64), 64>>>(device, n, k);
    update<<<dim3(divide_up(rest, 16), divide_up(rest, 16)), dim3(16, 16)>>>(device, n, k);
  }
  CHECK_LAUNCH();
  const auto lu = device.host();
  double worst = 0;
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      double sum = 0;
      for (int k = 0; k <= (r < c ? r : c); ++k) sum += (k == r ? 1.0 : lu[r * n + k]) * lu[k * n + c];
      worst = std::fmax(worst, std::fabs(sum - a[r * n + c]));
    }
  std::printf("largest error of L U: %g\n", worst);
  return verdict(worst < 1e-10);
}

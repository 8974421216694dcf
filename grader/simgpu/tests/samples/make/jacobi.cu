/// @file
/// A system of equations by Jacobi's method, until the residual is small.
#include <cmath>

#include "buffer.cuh"

__global__ void iterate(const double* a, const double* b, const double* x, double* next, double* change,
                        int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  double sum = b[row];
  for (int c = 0; c < n; ++c)
    if (c != row) sum -= a[row * n + c] * x[c];
  next[row] = sum / a[row * n + row];
  atomicAdd(change, fabs(next[row] - x[row]));
}

int main() {
  const int n = 96;
  std::vector<double> a(n * n), b(n, 0.0);
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      a[r * n + c] = r == c ? 2.0 * n : 1.0 / (1 + r + c);
      b[r] += a[r * n + c] * (c % 5);
    }
  Buffer<double> d_a(a), d_b(b), x(n), next(n), change(1);
  x.clear();
  int rounds = 0;
  double moved = 1;
  while (moved > 1e-10 && rounds < 100) {
    change.clear();
    iterate<<<divide_up(n, 32), 32>>>(d_a, d_b, x, next, change, n);
    CHECK(cudaMemcpy(&moved, change, sizeof moved, cudaMemcpyDeviceToHost));
    swap(x, next);
    ++rounds;
  }
  std::printf("%d rounds\n", rounds);
  bool right = rounds < 100;
  const auto solution = x.host();
  for (int i = 0; i < n; ++i) right = right && std::fabs(solution[i] - i % 5) < 1e-8;
  return verdict(right);
}

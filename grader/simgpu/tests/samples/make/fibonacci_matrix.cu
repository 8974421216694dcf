/// @file
/// Fibonacci numbers modulo a prime, each thread by powers of a matrix.
#include "buffer.cuh"

struct Matrix {
  unsigned long long a, b, c, d;
};

__host__ __device__ Matrix times(const Matrix& x, const Matrix& y) {
  const unsigned long long p = 1000000007ull;
  return {(x.a * y.a + x.b * y.c) % p, (x.a * y.b + x.b * y.d) % p, (x.c * y.a + x.d * y.c) % p,
          (x.c * y.b + x.d * y.d) % p};
}

__global__ void fibonacci(unsigned* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Matrix result{1, 0, 0, 1}, power{1, 1, 1, 0};
  for (int e = i; e > 0; e >>= 1) {
    if (e & 1) result = times(result, power);
    power = times(power, power);
  }
  out[i] = static_cast<unsigned>(result.b);
}

int main() {
  const int n = 500;
  Buffer<unsigned> out(n);
  fibonacci<<<divide_up(n, 64), 64>>>(out, n);
  CHECK_LAUNCH();
  std::vector<unsigned> expected{0, 1};
  while (expected.size() < n)
    expected.push_back((expected.back() + expected[expected.size() - 2]) % 1000000007u);
  return verdict(out.host() == expected);
}

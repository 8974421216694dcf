/// @file
/// Coefficients in constant memory, a counter in a device variable, a pointer to each by its symbol.
#include "buffer.cuh"

__constant__ float coefficients[4];
__device__ unsigned evaluations;

__global__ void horner(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = 0;
  for (int k = 3; k >= 0; --k) value = value * x[i] + coefficients[k];
  y[i] = value;
  atomicInc(&evaluations, 0xffffffffu);
}

int main() {
  const int n = 300;
  const float c[4] = {1, -2, 0, 3};
  CHECK(cudaMemcpyToSymbol(coefficients, c, sizeof c));
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i % 20);
  Buffer<float> d_x(x), y(n);
  horner<<<divide_up(n, 64), 64>>>(d_x, y, n);
  CHECK_LAUNCH();
  unsigned counted = 0;
  CHECK(cudaMemcpyFromSymbol(&counted, evaluations, sizeof counted));
  void* address = nullptr;
  size_t bytes = 0;
  CHECK(cudaGetSymbolAddress(&address, coefficients));
  CHECK(cudaGetSymbolSize(&bytes, coefficients));
  bool right = counted == n && address != nullptr && bytes == sizeof c;
  const auto result = y.host();
  for (int i = 0; i < n; ++i) right = right && result[i] == 3 * x[i] * x[i] * x[i] - 2 * x[i] + 1;
  return verdict(right);
}

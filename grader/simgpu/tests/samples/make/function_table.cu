/// @file
/// Functions chosen at run time: by a table in device memory, and by a pointer that the host fetched.
#include "buffer.cuh"

using Operation = float (*)(float, float);

__device__ float add(float a, float b) {
  return a + b;
}
__device__ float times(float a, float b) {
  return a * b;
}
__device__ Operation product = times;
__device__ Operation table[2] = {add, times};

__device__ __noinline__ int factorial(int n) {
  return n < 2 ? 1 : n * factorial(n - 1);
}
__global__ void apply(Operation op, const float* a, float* out) {
  out[threadIdx.x] = op(a[threadIdx.x], 3) + table[threadIdx.x % 2](a[threadIdx.x], 10);
}
__global__ void factorials(float* out) {
  out[threadIdx.x] = static_cast<float>(factorial(static_cast<int>(threadIdx.x)));
}

int main() {
  Buffer<float> a(std::vector<float>(8, 2.0f)), out(8);
  Operation chosen = nullptr;
  CHECK(cudaMemcpyFromSymbol(&chosen, product, sizeof chosen));
  apply<<<1, 8>>>(chosen, a, out);
  CHECK_LAUNCH();
  const std::vector<float> applied = out.host();
  factorials<<<1, 8>>>(out);
  CHECK_LAUNCH();
  return verdict(applied[0] == 6 + 12 && applied[1] == 6 + 20 && out.host()[7] == 5040);
}

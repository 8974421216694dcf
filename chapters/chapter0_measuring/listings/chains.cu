/// @file
/// Lesson 0, listing "latency and throughput": the same number of multiply-adds, once as one
/// chain and once as four. Checks its own result; the cycles are for you to look at.
#include <cstdio>

constexpr int steps = 1024;

// [one]
/// One chain: each step needs the result of the step before.
__global__ void one_chain(float* result, long long* cycles, float x) {
  float a = 1;
  const long long before = clock64();
  for (int k = 0; k < steps; ++k) a = a * x + 0.5f;
  *cycles = clock64() - before;
  *result = a;
}
// [one]

// [four]
/// Four chains of a quarter of the length.
/// In each turn the four steps need nothing of each other.
__global__ void four_chains(float* result, long long* cycles, float x) {
  float a = 1, b = 2, c = 3, d = 4;
  const long long before = clock64();
  for (int k = 0; k < steps / 4; ++k) {
    a = a * x + 0.5f;
    b = b * x + 0.5f;
    c = c * x + 0.5f;
    d = d * x + 0.5f;
  }
  *cycles = clock64() - before;
  *result = a + b + c + d;
}
// [four]

int main() {
  float* result = nullptr;
  long long* cycles = nullptr;
  if (cudaMallocManaged(&result, 2 * sizeof(float)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&cycles, 2 * sizeof(long long)) != cudaSuccess) return 1;
  one_chain<<<1, 1>>>(result, cycles, 0.5f);
  four_chains<<<1, 1>>>(result + 1, cycles + 1, 0.5f);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  std::printf("cycles a step: one chain %.2f, four chains %.2f\n", double(cycles[0]) / steps,
              double(cycles[1]) / steps);
  const bool right = result[0] == 1.0f && result[1] == 4.0f;  // a = a / 2 + 0.5 ends at 1
  cudaFree(result);
  cudaFree(cycles);
  return right ? 0 : 1;
}

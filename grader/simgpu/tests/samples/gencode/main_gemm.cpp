/// @file
/// Host code that calls the runtime itself, and kernels through a header.
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "gemm.h"

#define CUDA_CHECK(expression)                                                   \
  if (const cudaError_t status = (expression); status != cudaSuccess) {          \
    std::fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(status)); \
    std::exit(1);                                                                \
  }

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 64;
  std::vector<float> a(n * n), b(n * n), c(n * n), expected(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 5);
    b[i] = static_cast<float>(i % 3);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) expected[i * n + j] += a[i * n + k] * b[k * n + j];
  const size_t bytes = a.size() * sizeof(float);
  float *d_a, *d_b, *d_c;
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&d_a), bytes));
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&d_b), bytes));
  CUDA_CHECK(cudaMalloc(reinterpret_cast<void**>(&d_c), bytes));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  bool right = true;
  for (const auto gemm : {gemm_naive, gemm_tiled}) {
    const auto begin = std::chrono::steady_clock::now();
    gemm(d_a, d_b, d_c, n);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    CUDA_CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
    std::printf("n = %d: %.1f ms\n", n, took.count());
    right = right && c == expected;
  }
  CUDA_CHECK(cudaFree(d_a));
  CUDA_CHECK(cudaFree(d_b));
  CUDA_CHECK(cudaFree(d_c));
  CUDA_CHECK(cudaDeviceReset());
  std::puts(right ? "PASSED" : "FAILED");
  return !right;
}

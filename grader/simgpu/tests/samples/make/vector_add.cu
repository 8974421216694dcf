/// @file
/// c = a + b, with every allocation and copy by hand.
#include <cmath>

#include "check.cuh"

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

int main() {
  const int n = 50000;
  const size_t bytes = n * sizeof(float);
  float* h_a = static_cast<float*>(malloc(bytes));
  float* h_b = static_cast<float*>(malloc(bytes));
  float* h_c = static_cast<float*>(malloc(bytes));
  if (h_a == nullptr || h_b == nullptr || h_c == nullptr) return EXIT_FAILURE;
  for (int i = 0; i < n; ++i) {
    h_a[i] = rand() / static_cast<float>(RAND_MAX);
    h_b[i] = rand() / static_cast<float>(RAND_MAX);
  }
  float *d_a = nullptr, *d_b = nullptr, *d_c = nullptr;
  CHECK(cudaMalloc(reinterpret_cast<void**>(&d_a), bytes));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&d_b), bytes));
  CHECK(cudaMalloc(reinterpret_cast<void**>(&d_c), bytes));
  CHECK(cudaMemcpy(d_a, h_a, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, h_b, bytes, cudaMemcpyHostToDevice));
  const int threads = 256, blocks = (n + threads - 1) / threads;
  std::printf("CUDA kernel launch with %d blocks of %d threads\n", blocks, threads);
  vector_add<<<blocks, threads>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(h_c, d_c, bytes, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int i = 0; i < n; ++i) right = right && fabsf(h_a[i] + h_b[i] - h_c[i]) < 1e-5f;
  CHECK(cudaFree(d_a));
  CHECK(cudaFree(d_b));
  CHECK(cudaFree(d_c));
  free(h_a);
  free(h_b);
  free(h_c);
  return verdict(right);
}

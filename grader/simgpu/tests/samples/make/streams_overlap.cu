/// @file
/// Copies and kernels of four streams, from pinned memory.
#include <cmath>

#include "timer.cuh"

__global__ void work(float* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = sqrtf(data[i]) + 1.0f;
}

int main() {
  const int streams = 4, n = 1 << 14, part = n / streams;
  float *host = nullptr, *device = nullptr;
  CHECK(cudaMallocHost(&host, n * sizeof(float)));
  CHECK(cudaMalloc(&device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  cudaStream_t stream[streams];
  for (auto& s : stream) CHECK(cudaStreamCreate(&s));
  GpuTimer timer;
  timer.start();
  for (int k = 0; k < streams; ++k) {
    const int at = k * part;
    CHECK(cudaMemcpyAsync(device + at, host + at, part * sizeof(float), cudaMemcpyHostToDevice, stream[k]));
    work<<<part / 256, 256, 0, stream[k]>>>(device + at, part);
    CHECK(cudaMemcpyAsync(host + at, device + at, part * sizeof(float), cudaMemcpyDeviceToHost, stream[k]));
  }
  timer.stop();
  CHECK(cudaDeviceSynchronize());
  std::printf("%.3f ms\n", timer.milliseconds());
  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && std::fabs(host[i] - (std::sqrt(static_cast<float>(i)) + 1)) < 1e-4f;
  for (auto& s : stream) CHECK(cudaStreamDestroy(s));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFree(device));
  return verdict(right);
}

/// @file
/// An ordinary CUDA program. Exits with the number it is given, after printing "ok" if the GPU counted right.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef WITH_SIMGPU_HEADER
#include <simgpu/simgpu.h>

#include <cstring>
#endif

__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  int devices = 0;
  cudaDeviceProp properties{};
  if (cudaGetDeviceCount(&devices) != cudaSuccess || cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return 2;
  std::printf("%d device%s, %d multiprocessors\n", devices, devices == 1 ? "" : "s",
              properties.multiProcessorCount);

  constexpr int kCount = 10000;
  std::vector<float> x(kCount, 1.0f), y(kCount, 2.0f);
  float *device_x = nullptr, *device_y = nullptr;
  cudaMalloc(&device_x, kCount * sizeof(float));
  cudaMalloc(&device_y, kCount * sizeof(float));
  cudaMemcpy(device_x, x.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, y.data(), kCount * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(kCount + 255) / 256, 256>>>(kCount, 3.0f, device_x, device_y);
  cudaMemcpy(y.data(), device_y, kCount * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_y);
  for (const float value : y) {
    if (value != 5.0f) return 3;
  }
#ifdef WITH_SIMGPU_HEADER
  if (std::strstr(simgpu_take_report(), "saxpy") == nullptr) return 4;
#endif
  std::puts("ok");
  return argc > 1 ? std::atoi(argv[1]) : 0;
}

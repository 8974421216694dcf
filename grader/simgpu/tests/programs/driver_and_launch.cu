// Launch with attributes, kernel handles, versions, device choice, errors by name, and launches from templates.
#include <cuda_profiler_api.h>

#include <cstring>

#include "program.hpp"

template <typename T, int kFactor>
__global__ void scale(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * T(kFactor);
}

struct Big {
  int values[100];
  double weight;
};
__global__ void by_value(const __grid_constant__ Big big, double* out) {
  double sum = 0;
  for (int i = threadIdx.x; i < 100; i += blockDim.x) sum += big.values[i] * big.weight;
  atomicAdd(out, sum);
}

int main() {
  int runtime = 0, driver = 0, device = -1;
  CHECK(cudaRuntimeGetVersion(&runtime));
  CHECK(cudaDriverGetVersion(&driver));
  EXPECT(runtime >= 13000 && driver >= runtime / 1000 * 1000);
  cudaDeviceProp wanted = {};
  wanted.major = 9;
  CHECK(cudaChooseDevice(&device, &wanted));
  EXPECT(device >= 0);
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  EXPECT(std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue") == 0);
  EXPECT(std::strlen(cudaGetErrorString(cudaErrorMemoryAllocation)) > 0);

  const int n = 777;
  std::vector<double> in(n, 1.5);
  double* d = to_device(in);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(7);
  config.blockDim = dim3(128);
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, scale<double, 4>, d, n));
  EXPECT(to_host(d, n)[n - 1] == 6);
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, (const void*)scale<double, 4>));
  int size = n;
  void* arguments[] = {&d, &size};
  CHECK(cudaLaunchKernel((const void*)scale<double, 4>, dim3(7), dim3(128), arguments, 0, nullptr));
  EXPECT(to_host(d, n)[0] == 24);

  Big big = {};
  long sum = 0;
  for (int i = 0; i < 100; ++i) sum += big.values[i] = i * i;
  big.weight = 0.5;
  double* out = to_device(std::vector<double>{0});
  by_value<<<1, 32>>>(big, out);
  EXPECT(to_host(out, 1)[0] == sum * 0.5);

  void* huge = nullptr;
  EXPECT(cudaMalloc(&huge, std::size_t(1) << 46) == cudaErrorMemoryAllocation);
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);
  EXPECT(cudaMemcpy(nullptr, d, 8, cudaMemcpyDeviceToHost) != cudaSuccess);
  (void)cudaGetLastError();
  CHECK(cudaProfilerStart());
  CHECK(cudaProfilerStop());
  CHECK(cudaDeviceReset());
  CHECK(cudaMalloc(&d, 64));
  return ok();
}

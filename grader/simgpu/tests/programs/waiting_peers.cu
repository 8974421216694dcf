// A kernel of one device waits for one of another.
#include "program.hpp"
__global__ void waits(const int* flag, const int* from, int* to) {
  if (threadIdx.x == 0) {
    while (*static_cast<const volatile int*>(flag) == 0) {
    }
    __threadfence_system();
  }
  __syncthreads();
  to[threadIdx.x] = from[threadIdx.x] + 1;
}
__global__ void raises(int* flag, int* there) {
  there[threadIdx.x] = threadIdx.x;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *static_cast<volatile int*>(flag) = 1;
}

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::printf("one device only\n");
    return ok();
  }
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceEnablePeerAccess(1, 0));
  int *flag, *data, *result;
  CHECK(cudaMalloc(&flag, sizeof(int)));
  CHECK(cudaMalloc(&data, 64 * sizeof(int)));
  CHECK(cudaMalloc(&result, 64 * sizeof(int)));
  CHECK(cudaMemset(flag, 0, sizeof(int)));
  CHECK(cudaDeviceSynchronize());
  waits<<<1, 64>>>(flag, data, result);
  CHECK(cudaSetDevice(1));
  CHECK(cudaDeviceEnablePeerAccess(0, 0));
  raises<<<1, 64>>>(flag, data);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaSetDevice(0));
  CHECK(cudaDeviceSynchronize());
  const auto values = to_host(result, 64);
  for (int i = 0; i < 64; ++i) EXPECT(values[i] == i + 1);
  CHECK(cudaFree(flag));
  CHECK(cudaFree(data));
  CHECK(cudaFree(result));
  return ok();
}

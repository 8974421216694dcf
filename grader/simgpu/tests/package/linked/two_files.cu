/// @file
/// A kernel that calls a function of another file. Ends with 1 if it did not run.
#include <cuda_runtime.h>

__device__ int twice(int x);

__global__ void kernel(int* data) {
  *data = twice(21);
}

int main() {
  int *data = nullptr, value = 0;
  cudaMalloc(&data, sizeof value);
  kernel<<<1, 1>>>(data);
  cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
  return value == 42 ? 0 : 1;
}

/// @file
/// A kernel that asks the runtime what the simulated GPU does not answer there. Ends with 1 if it did not run.
#include <cuda_runtime.h>

__global__ void child() {}

__global__ void parent(int* data) {
  cudaFuncAttributes attributes;
  if (cudaFuncGetAttributes(&attributes, child) == cudaSuccess) *data = 42;
}

int main() {
  int *data = nullptr, value = 0;
  cudaMalloc(&data, sizeof value);
  parent<<<1, 1>>>(data);
  cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
  return value == 42 ? 0 : 1;
}

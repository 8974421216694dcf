/// @file
/// A kernel that launches a kernel. Ends with 1 if it did not run.
#include <cuda_runtime.h>

__global__ void child(int* data) {
  *data = 42;
}

__global__ void parent(int* data) {
  child<<<1, 1>>>(data);
}

int main() {
  int *data = nullptr, value = 0;
  cudaMalloc(&data, sizeof value);
  parent<<<1, 1>>>(data);
  cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
  return value == 42 ? 0 : 1;
}

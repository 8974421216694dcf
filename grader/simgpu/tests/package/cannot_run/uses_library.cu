/// @file
/// A program whose kernel comes from a library. Ends with 1 if it did not run.
#include <cuda_runtime.h>

void fill_one(int* data);

int main() {
  int *data = nullptr, value = 0;
  cudaMalloc(&data, sizeof value);
  fill_one(data);
  if (cudaGetLastError() != cudaSuccess) return 1;
  cudaMemcpy(&value, data, sizeof value, cudaMemcpyDeviceToHost);
  return value == 42 ? 0 : 1;
}

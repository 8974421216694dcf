/// @file
/// A kernel launches one with as many threads as the program is told, and does not ask whether that was possible. Ends with 0 if the child
/// ran.
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void child(int* data) {
  if (threadIdx.x == 0) *data = 1;
}

__global__ void parent(int* data, int threads) {
  child<<<1, threads>>>(data);
}

int main(int, char** argv) {
  int *data = nullptr, host = 0;
  cudaMalloc(&data, sizeof *data);
  cudaMemset(data, 0, sizeof *data);
  parent<<<1, 1>>>(data, std::atoi(argv[1]));
  cudaMemcpy(&host, data, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(data);
  return host == 1 ? 0 : 1;
}

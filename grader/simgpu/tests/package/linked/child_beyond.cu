/// @file
/// A kernel launches one that writes beyond what there is. Ends with 1 as on a card, where the fault is the child's.
#include <cuda_runtime.h>

__global__ void child(int* data) {
  data[threadIdx.x] = 1;
}

__global__ void parent(int* data) {
  child<<<1, 64>>>(data);
  child<<<1, 32>>>(data);  // is not reached
}

int main() {
  int* data = nullptr;
  cudaMalloc(&data, 32 * sizeof *data);
  parent<<<1, 1>>>(data);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 1 : 0;
}

/// @file
/// Every thread says who it is.
#include "check.cuh"

__global__ void hello() {
  printf("Hello from thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

int main() {
  hello<<<2, 4>>>();
  CHECK_LAUNCH();
  return verdict(true);
}

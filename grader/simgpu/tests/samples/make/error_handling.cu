/// @file
/// What goes wrong is told: a launch that is too large, an allocation that is too large, a wrong pointer.
#include "check.cuh"

__global__ void nothing() {}

int main() {
  bool right = true;
  nothing<<<1, 4096>>>();
  cudaError_t error = cudaGetLastError();
  std::printf("4096 threads: %s (%s)\n", cudaGetErrorName(error), cudaGetErrorString(error));
  right = right && (error == cudaErrorInvalidConfiguration || error == cudaErrorInvalidValue) &&
          cudaGetLastError() == cudaSuccess;
  void* memory = nullptr;
  error = cudaMalloc(&memory, size_t{1} << 50);
  std::printf("a petabyte: %s\n", cudaGetErrorName(error));
  right = right && error == cudaErrorMemoryAllocation && cudaGetLastError() == error;
  int host = 0;
  error = cudaFree(&host);
  std::printf("free of a host pointer: %s\n", cudaGetErrorName(error));
  right = right && error == cudaErrorInvalidValue && cudaPeekAtLastError() == error;
  cudaGetLastError();
  nothing<<<1, 1>>>();
  CHECK_LAUNCH();
  return verdict(right);
}

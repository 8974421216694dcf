/// @file
/// A program with a race that it never notices: two warps store different numbers to one place, and nobody looks. Exits with the number it
/// is given. Its own exit handler is there before the runtime's, so it runs after it.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void both_store(int* place) {
  if (threadIdx.x % 32 == 0) *place = static_cast<int>(threadIdx.x);
}

// 101: before the constructors by which nvcc makes kernels known to the runtime.
__attribute__((constructor(101))) void register_handler() {
  std::atexit([] { std::printf("handler\n"); });
}

int main(int argc, char** argv) {
  int* place = nullptr;
  cudaMalloc(&place, sizeof(int));
  both_store<<<1, 64>>>(place);
  cudaDeviceSynchronize();
  cudaFree(place);
  const int code = argc > 1 ? std::atoi(argv[1]) : 0;
  std::printf("ends with %d\n", code);  // not flushed by itself: to a pipe
  return code;
}

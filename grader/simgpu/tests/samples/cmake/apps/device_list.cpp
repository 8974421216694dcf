/// @file
/// Lists devices, from host code.
#include <cuda_runtime_api.h>

#include <iostream>

int main() {
  int count = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess) {
    std::cerr << cudaGetErrorString(error) << '\n';
    return 1;
  }
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    cudaGetDeviceProperties(&p, i);
    size_t free = 0, total = 0;
    cudaSetDevice(i);
    cudaMemGetInfo(&free, &total);
    std::cout << i << ": " << p.name << ", compute capability " << p.major << '.' << p.minor << ", "
              << free / 1048576 << " of " << total / 1048576 << " MiB free\n";
  }
  return count == 0;
}

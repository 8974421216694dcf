/// @file
/// Kernels in a shared library.
#include "filters.h"

#include "buffer.cuh"

static __global__ void apply(unsigned char* image, int n, unsigned char level) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) image[i] = image[i] >= level ? 255 : 0;
}

std::vector<unsigned char> threshold(const std::vector<unsigned char>& image, unsigned char level) {
  Buffer<unsigned char> device(image);
  const int n = static_cast<int>(image.size());
  apply<<<divide_up(n, 256), 256>>>(device, n, level);
  CHECK(cudaGetLastError());
  return device.host();
}

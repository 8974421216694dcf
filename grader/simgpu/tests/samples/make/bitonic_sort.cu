/// @file
/// A bitonic sort with one launch a step.
#include <algorithm>

#include "buffer.cuh"

__global__ void bitonic_step(float* values, int j, int k) {
  const unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
  if (other <= i) return;
  const bool ascending = (i & k) == 0;
  const float a = values[i], b = values[other];
  if ((a > b) == ascending) {
    values[i] = b;
    values[other] = a;
  }
}

int main() {
  const int n = 1 << 12;
  std::vector<float> values(n);
  srand(7);
  for (float& v : values) v = static_cast<float>(rand()) / static_cast<float>(RAND_MAX);
  Buffer<float> device(values);
  for (int k = 2; k <= n; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) bitonic_step<<<n / 256, 256>>>(device, j, k);
  CHECK_LAUNCH();
  std::sort(values.begin(), values.end());
  return verdict(device.host() == values);
}

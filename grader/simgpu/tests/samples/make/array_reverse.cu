/// @file
/// Reverses an array through static and dynamic shared memory.
#include <algorithm>

#include "buffer.cuh"

__global__ void reverse_static(int* data, int n) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  data[t] = s[n - t - 1];
}
__global__ void reverse_dynamic(int* data, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  data[t] = s[n - t - 1];
}

int main() {
  const int n = 64;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  Buffer<int> data(numbers);
  reverse_static<<<1, n>>>(data, n);
  CHECK_LAUNCH();
  std::vector<int> turned = numbers;
  std::reverse(turned.begin(), turned.end());
  bool right = data.host() == turned;
  reverse_dynamic<<<1, n, n * sizeof(int)>>>(data, n);
  CHECK_LAUNCH();
  return verdict(right && data.host() == numbers);
}

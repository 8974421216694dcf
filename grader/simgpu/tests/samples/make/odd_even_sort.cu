/// @file
/// A block sorts in shared memory by odd-even transposition.
#include <algorithm>
#include <numeric>

#include "buffer.cuh"

__global__ void odd_even(int* values, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  s[t] = values[t];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    const int left = 2 * (t / 2) + round % 2;
    if (t % 2 == 0 && left + 1 < n && s[left] > s[left + 1]) {
      const int kept = s[left];
      s[left] = s[left + 1];
      s[left + 1] = kept;
    }
    __syncthreads();
  }
  values[t] = s[t];
}

int main() {
  const int n = 512;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = i * 197 % n;
  Buffer<int> device(values);
  odd_even<<<1, n, n * sizeof(int)>>>(device, n);
  CHECK_LAUNCH();
  std::iota(values.begin(), values.end(), 0);
  return verdict(device.host() == values);
}

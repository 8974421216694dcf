/// @file
/// A bottom-up merge sort: each thread merges two runs; the runs double from launch to launch.
#include <algorithm>

#include "buffer.cuh"

__global__ void merge_runs(const int* from, int* to, int n, int width) {
  const int begin = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * width;
  if (begin >= n) return;
  const int middle = min(begin + width, n), end = min(begin + 2 * width, n);
  int a = begin, b = middle;
  for (int k = begin; k < end; ++k)
    to[k] = a < middle && (b >= end || from[a] <= from[b]) ? from[a++] : from[b++];
}

int main() {
  const int n = 3000;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = (i * 7919 + 13) % 5003;
  Buffer<int> from(values), to(n);
  for (int width = 1; width < n; width *= 2) {
    const int merges = divide_up(n, 2 * width);
    merge_runs<<<divide_up(merges, 128), 128>>>(from, to, n, width);
    swap(from, to);
  }
  CHECK_LAUNCH();
  std::sort(values.begin(), values.end());
  return verdict(from.host() == values);
}

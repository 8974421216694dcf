/// @file
/// All shortest paths: a launch for each node on the way.
#include <algorithm>

#include "buffer.cuh"

__global__ void relax(int* distance, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= n || column == k || row == k) return;
  const int by_way = distance[row * n + k] + distance[k * n + column];
  if (by_way < distance[row * n + column]) distance[row * n + column] = by_way;
}

int main() {
  const int n = 60, far = 1 << 20;
  std::vector<int> d(n * n, far);
  for (int i = 0; i < n; ++i) {
    d[i * n + i] = 0;
    d[i * n + (i + 1) % n] = 3;
    d[i * n + (i * 7 + 2) % n] = std::min(d[i * n + (i * 7 + 2) % n], 10);
  }
  Buffer<int> device(d);
  for (int k = 0; k < n; ++k) relax<<<dim3(1, n), 64>>>(device, n, k);
  CHECK_LAUNCH();
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
  return verdict(device.host() == d);
}

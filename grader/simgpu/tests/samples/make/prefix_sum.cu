/// @file
/// An exclusive scan of any length: within blocks by up-sweep and down-sweep, then of the blocks' sums.
#include "buffer.cuh"

constexpr int kThreads = 128, kTile = 2 * kThreads;

__global__ void scan_tiles(int* data, int* sums, int n) {
  __shared__ int tile[kTile];
  const int base = blockIdx.x * kTile, t = threadIdx.x;
  for (int k = t; k < kTile; k += kThreads) tile[k] = base + k < n ? data[base + k] : 0;
  int offset = 1;
  for (int d = kTile >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) tile[offset * (2 * t + 2) - 1] += tile[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) {
    sums[blockIdx.x] = tile[kTile - 1];
    tile[kTile - 1] = 0;
  }
  for (int d = 1; d < kTile; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1, kept = tile[left];
      tile[left] = tile[right];
      tile[right] += kept;
    }
  }
  __syncthreads();
  for (int k = t; k < kTile; k += kThreads)
    if (base + k < n) data[base + k] = tile[k];
}

__global__ void add_sums(int* data, const int* sums, int n) {
  for (int k = threadIdx.x; k < kTile; k += kThreads) {
    const int i = blockIdx.x * kTile + k;
    if (i < n) data[i] += sums[blockIdx.x];
  }
}

void scan(int* data, int n) {
  const int tiles = divide_up(n, kTile);
  Buffer<int> sums(tiles);
  scan_tiles<<<tiles, kThreads>>>(data, sums, n);
  CHECK(cudaGetLastError());
  if (tiles == 1) return;
  scan(sums, tiles);
  add_sums<<<tiles, kThreads>>>(data, sums, n);
  CHECK(cudaGetLastError());
}

int main() {
  const int n = 70001;
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i * 7 % 11;
  Buffer<int> data(numbers);
  scan(data, n);
  const std::vector<int> result = data.host();
  int sum = 0;
  bool right = true;
  for (int i = 0; i < n; ++i) {
    right = right && result[i] == sum;
    sum += numbers[i];
  }
  return verdict(right);
}

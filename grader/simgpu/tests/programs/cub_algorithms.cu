// CUB: block and warp primitives, device-wide sort, scan, reduction, selection and run lengths.
#include <cub/cub.cuh>

#include <algorithm>
#include <numeric>

#include "program.hpp"

__global__ void block_level(const int* in, int* sums, int* sorted, int* warp_max) {
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  using Warp = cub::WarpReduce<int>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
    Sort::TempStorage sort;
    Warp::TempStorage warp[4];
  } storage;
  const int t = threadIdx.x;
  int items[2] = {in[2 * t], in[2 * t + 1]};
  const int total = Reduce(storage.reduce).Sum(items[0] + items[1]);
  __syncthreads();
  int before;
  Scan(storage.scan).ExclusiveSum(items[0] + items[1], before);
  __syncthreads();
  sums[t] = before;
  if (t == 0) sums[128] = total;
  const int most = Warp(storage.warp[t / 32]).Reduce(items[0], cuda::maximum<>{});
  if (t % 32 == 0) warp_max[t / 32] = most;
  __syncthreads();
  Sort(storage.sort).Sort(items);
  sorted[2 * t] = items[0];
  sorted[2 * t + 1] = items[1];
}

int main() {
  const int n = 10000;
  std::vector<int> in(n);
  unsigned state = 11;
  for (int& v : in) v = int((state = state * 1664525u + 1013904223u) >> 20) - 2000;
  int *d = to_device(in), *out = nullptr, *counts = nullptr, *number = nullptr;
  CHECK(cudaMalloc(&out, n * sizeof(int)));
  CHECK(cudaMemset(out, 0, n * sizeof(int)));  // it is copied with its gaps
  CHECK(cudaMalloc(&counts, n * sizeof(int)));
  CHECK(cudaMalloc(&number, sizeof(int)));

  block_level<<<1, 128>>>(d, out, out + 200, out + 500);
  auto got = to_host(out, 504);
  int sum = 0;
  for (int t = 0; t < 128; ++t) {
    EXPECT(got[t] == sum);
    sum += in[2 * t] + in[2 * t + 1];
  }
  EXPECT(got[128] == sum);
  std::vector<int> first(in.begin(), in.begin() + 256);
  std::sort(first.begin(), first.end());
  EXPECT(std::equal(first.begin(), first.end(), got.begin() + 200));
  for (int w = 0; w < 4; ++w) {
    int most = -100000;
    for (int t = 32 * w; t < 32 * w + 32; ++t) most = std::max(most, in[2 * t]);
    EXPECT(got[500 + w] == most);
  }

  auto device_wide = [](auto&& call) {
    void* storage = nullptr;
    std::size_t bytes = 0;
    CHECK(call(storage, bytes));
    CHECK(cudaMalloc(&storage, bytes));
    CHECK(call(storage, bytes));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(storage));
  };
  device_wide([&](void* s, std::size_t& b) { return cub::DeviceReduce::Sum(s, b, d, number, n); });
  EXPECT(to_host(number, 1)[0] == std::accumulate(in.begin(), in.end(), 0));
  device_wide([&](void* s, std::size_t& b) { return cub::DeviceScan::ExclusiveSum(s, b, d, out, n); });
  got = to_host(out, n);
  sum = 0;
  for (int i = 0; i < n; ++i) {
    EXPECT(got[i] == sum);
    sum += in[i];
  }
  device_wide([&](void* s, std::size_t& b) { return cub::DeviceRadixSort::SortKeys(s, b, d, out, n); });
  auto sorted = in;
  std::sort(sorted.begin(), sorted.end());
  EXPECT(to_host(out, n) == sorted);
  device_wide([&](void* s, std::size_t& b) {
    return cub::DeviceRunLengthEncode::Encode(s, b, out, d, counts, number, n);
  });
  const int runs = to_host(number, 1)[0];
  const auto lengths = to_host(counts, runs), heads = to_host(d, runs);
  int at = 0;
  for (int r = 0; r < runs; ++r) {
    EXPECT(heads[r] == sorted[at] && lengths[r] == std::count(sorted.begin(), sorted.end(), sorted[at]));
    at += lengths[r];
  }
  EXPECT(at == n);
  return ok();
}

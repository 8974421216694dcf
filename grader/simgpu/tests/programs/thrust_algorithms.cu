// Thrust: sort, stable sort by key, reduce, scans, transform, unique, copy_if, on device and managed vectors.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "program.hpp"

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
struct Odd {
  __host__ __device__ bool operator()(int x) const { return x % 2; }
};

int main() {
  const int n = 20000;
  thrust::host_vector<int> h(n);
  unsigned state = 3;
  for (int i = 0; i < n; ++i) h[i] = int((state = state * 1664525u + 1013904223u) >> 16) % 5000;
  std::vector<int> expected(h.begin(), h.end());
  thrust::device_vector<int> d = h;
  EXPECT(thrust::reduce(d.begin(), d.end()) == std::accumulate(expected.begin(), expected.end(), 0));
  EXPECT(thrust::count_if(d.begin(), d.end(), Odd()) ==
         std::count_if(expected.begin(), expected.end(), Odd()));
  thrust::device_vector<int> scanned(n);
  thrust::inclusive_scan(d.begin(), d.end(), scanned.begin());
  std::vector<int> sums(n);
  std::partial_sum(expected.begin(), expected.end(), sums.begin());
  EXPECT(std::equal(sums.begin(), sums.end(), thrust::host_vector<int>(scanned).begin()));
  thrust::device_vector<int> values(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(n)),
      keys = d;
  thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin());
  thrust::host_vector<int> order = values;
  for (int i = 1; i < n; ++i) {
    const int a = expected[order[i - 1]], b = expected[order[i]];
    EXPECT(a < b || (a == b && order[i - 1] < order[i]));
  }
  thrust::sort(d.begin(), d.end(), thrust::greater<int>());
  std::sort(expected.begin(), expected.end(), std::greater<int>());
  EXPECT(std::equal(expected.begin(), expected.end(), thrust::host_vector<int>(d).begin()));
  const auto end = thrust::unique(d.begin(), d.end());
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT(end - d.begin() == long(expected.size()));
  thrust::device_vector<int> odd(n);
  EXPECT(thrust::copy_if(d.begin(), end, odd.begin(), Odd()) - odd.begin() ==
         std::count_if(expected.begin(), expected.end(), Odd()));
  thrust::device_vector<float> f(1000, 2.0f);
  EXPECT(thrust::transform_reduce(f.begin(), f.end(), Square(), 0.0f, thrust::plus<float>()) == 4000.0f);
  return ok();
}

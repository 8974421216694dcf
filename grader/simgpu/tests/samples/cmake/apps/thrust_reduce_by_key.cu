/// @file
/// Word lengths counted by Thrust: a scan, a reduction by key and a transformation with a functor.
#include <thrust/device_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/transform.h>

#include <vector>

#include "check.cuh"

struct Twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

int main() {
  std::vector<int> lengths;
  for (int length = 1; length <= 10; ++length) lengths.insert(lengths.end(), length, length);
  thrust::device_vector<int> keys = lengths, found(10), counts(10), before(10);
  thrust::reduce_by_key(keys.begin(), keys.end(), thrust::constant_iterator<int>(1), found.begin(),
                        counts.begin());
  thrust::exclusive_scan(counts.begin(), counts.end(), before.begin());
  thrust::transform(counts.begin(), counts.end(), counts.begin(), Twice());
  bool right = true;
  for (int i = 0; i < 10; ++i)
    right = right && found[i] == i + 1 && counts[i] == 2 * (i + 1) && before[i] == i * (i + 1) / 2;
  return verdict(right);
}

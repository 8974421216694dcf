/// @file
/// Thrust on structs with padding: merge sorts load keys past their tile's end, copies move padding that nobody wrote,
/// and set operations compare what lies behind their scratch memory.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include <algorithm>

#include "program.hpp"

struct Record {
  float key;
  double weight;
  char tag;
  __host__ __device__ bool operator<(const Record& other) const { return key < other.key; }
  __host__ __device__ bool operator==(const Record& other) const { return key == other.key; }
};
struct Sum {
  __host__ __device__ Record operator()(Record a, Record b) const {
    return {a.key + b.key, a.weight + b.weight, char(a.tag + b.tag)};
  }
};

int main() {
  for (const int n : {1, 33, 5000}) {
    std::vector<Record> host(n);
    for (int i = 0; i < n; ++i) host[i] = {float(i * 7919 % 101), i * 0.5, char(i)};
    thrust::device_vector<Record> sorted(host.begin(), host.end()), sums(n);
    thrust::stable_sort(sorted.begin(), sorted.end());
    std::stable_sort(host.begin(), host.end());
    std::vector<Record> back(n);
    thrust::copy(sorted.begin(), sorted.end(), back.begin());
    for (int i = 0; i < n; ++i)
      EXPECT(back[i].key == host[i].key && back[i].weight == host[i].weight && back[i].tag == host[i].tag);
    thrust::inclusive_scan(sorted.begin(), sorted.end(), sums.begin(), Sum());
    const Record total = thrust::reduce(sorted.begin(), sorted.end(), Record{0, 0, 0}, Sum());
    EXPECT(total.key == Record(sums[n - 1]).key);

    thrust::device_vector<int> all(n), even(n), both(n);
    std::vector<int> numbers(n), doubled(n), common;
    for (int i = 0; i < n; ++i) numbers[i] = i, doubled[i] = 2 * i;
    thrust::copy(numbers.begin(), numbers.end(), all.begin());
    thrust::copy(doubled.begin(), doubled.end(), even.begin());
    const auto end = thrust::set_intersection(all.begin(), all.end(), even.begin(), even.end(), both.begin());
    std::set_intersection(numbers.begin(), numbers.end(), doubled.begin(), doubled.end(),
                          std::back_inserter(common));
    EXPECT(end - both.begin() == long(common.size()));

    const auto last = thrust::unique(sorted.begin(), sorted.end());
    EXPECT(last - sorted.begin() == std::unique(host.begin(), host.end()) - host.begin());
  }
  return ok();
}

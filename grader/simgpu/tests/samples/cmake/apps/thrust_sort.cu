/// @file
/// Sorting and reducing by Thrust.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>

#include <algorithm>

#include "check.cuh"

int main() {
  thrust::host_vector<int> numbers(3000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i * 7919 % 3001);
  thrust::device_vector<int> device = numbers;
  thrust::sort(device.begin(), device.end());
  const int sum = thrust::reduce(device.begin(), device.end(), 0, thrust::plus<int>());
  thrust::host_vector<int> sorted = device;
  std::sort(numbers.begin(), numbers.end());
  int expected = 0;
  for (const int n : numbers) expected += n;
  return verdict(sorted == numbers && sum == expected);
}

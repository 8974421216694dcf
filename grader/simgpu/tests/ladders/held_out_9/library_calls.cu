/// @file
/// Calls of cub and thrust: doubles sorted, the greatest so far, floats counted between uneven
/// limits, two vectors multiplied.
#include <thrust/execution_policy.h>
#include <thrust/inner_product.h>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <algorithm>

#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

struct GreaterOfTwo {
  __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return a < b ? b : a; }
};

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  std::size_t bytes = 0;
  void* space = nullptr;
  const std::size_t keys = n / 128;
  const auto* values = reinterpret_cast<const double*>(s.in);
  auto* sorted = reinterpret_cast<double*>(s.out);
  cub::DeviceRadixSort::SortKeys(nullptr, bytes, values, sorted, static_cast<int>(keys));
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "doubles sorted by cub", 16.0 * real(keys),
      [&] { cub::DeviceRadixSort::SortKeys(space, bytes, values, sorted, static_cast<int>(keys)); },
      [&] {
        std::vector<double> want(keys);
        for (std::size_t i = 0; i < keys; ++i) want[i] = double_of(i);
        std::sort(want.begin(), want.end());
        return taken(sorted, keys) == want;
      });
  cudaFree(space);
  const std::size_t scanned = n / 8;
  cub::DeviceScan::InclusiveScan(nullptr, bytes, s.words, s.numbers(), GreaterOfTwo(),
                                 static_cast<int>(scanned));
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "greatest words so far by cub", 8.0 * real(scanned),
      [&] {
        cub::DeviceScan::InclusiveScan(space, bytes, s.words, s.numbers(), GreaterOfTwo(),
                                       static_cast<int>(scanned));
      },
      [&] {
        const auto got = taken(s.numbers(), scanned);
        unsigned greatest = 0;
        for (std::size_t i = 0; i < scanned; ++i) {
          greatest = std::max(greatest, word_of(i));
          if (got[i] != greatest) return false;
        }
        return true;
      });
  cudaFree(space);
  constexpr int kLimits = 33;
  std::vector<float> limits(kLimits);
  for (int k = 0; k < kLimits; ++k)
    limits[static_cast<std::size_t>(k)] = 0.5f + 0.0065f * static_cast<float>(k * k);
  float* d_limits = kept(limits);
  const std::size_t counted = n / 8;
  cub::DeviceHistogram::HistogramRange(nullptr, bytes, s.in, s.numbers(), kLimits, d_limits,
                                       static_cast<int>(counted));
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "floats counted between uneven limits by cub", 4.0 * real(counted),
      [&] {
        cub::DeviceHistogram::HistogramRange(space, bytes, s.in, s.numbers(), kLimits, d_limits,
                                             static_cast<int>(counted));
      },
      [&] {
        std::vector<unsigned> want(kLimits - 1);
        for (std::size_t i = 0; i < counted; ++i) {
          const auto behind = std::upper_bound(limits.begin(), limits.end(), float_of(i)) - limits.begin();
          if (behind > 0 && behind < kLimits) ++want[static_cast<std::size_t>(behind) - 1];
        }
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space), cudaFree(d_limits);
  const std::size_t terms = n / 8;
  double product = 0;
  s.run(
      "two vectors multiplied by thrust", 8.0 * real(terms),
      [&] { product = thrust::inner_product(thrust::device, s.in, s.in + terms, s.other, 0.0); },
      [&] {
        double want = 0;
        for (std::size_t i = 0; i < terms; ++i) want += double{float_of(i)} * other_of(i);
        return Set::near(product, want, 1e-6);
      });
}

}  // namespace held_out_9

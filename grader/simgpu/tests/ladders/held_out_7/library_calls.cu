/// @file
/// Calls of cub: running products, long keys sorted downwards, floats counted in even bins.
#include <cub/cub.cuh>

#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

struct OddProduct {
  __host__ __device__ unsigned operator()(unsigned a, unsigned b) const { return (a | 1) * (b | 1); }
};

}  // namespace

void library_calls(Set& s) {
  const int m = static_cast<int>(s.n / 8), keys = static_cast<int>(s.n / 128);
  std::size_t bytes = 0;
  void* space = nullptr;
  cub::DeviceScan::InclusiveScan(nullptr, bytes, s.words, s.numbers(), OddProduct(), m);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "running products of odd words by cub", 8.0 * m,
      [&] { cub::DeviceScan::InclusiveScan(space, bytes, s.words, s.numbers(), OddProduct(), m); },
      [&] {
        std::vector<unsigned> want(static_cast<std::size_t>(m));
        want[0] = word_of(0);
        for (std::size_t i = 1; i < want.size(); ++i) want[i] = (want[i - 1] | 1) * (word_of(i) | 1);
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space);
  using Key = unsigned long long;
  const auto* unsorted = reinterpret_cast<const Key*>(s.words);
  auto* sorted = reinterpret_cast<Key*>(s.out);
  cub::DeviceRadixSort::SortKeysDescending(nullptr, bytes, unsorted, sorted, keys, 0, 40);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "forty bits of long keys sorted downwards by cub", 16.0 * keys,
      [&] { cub::DeviceRadixSort::SortKeysDescending(space, bytes, unsorted, sorted, keys, 0, 40); },
      [&] {
        std::vector<Key> want(static_cast<std::size_t>(keys));
        for (std::size_t i = 0; i < want.size(); ++i)
          want[i] = Key{word_of(2 * i + 1)} << 32 | word_of(2 * i);
        constexpr Key kSeen = (Key{1} << 40) - 1;
        std::stable_sort(want.begin(), want.end(), [](Key a, Key b) { return (a & kSeen) > (b & kSeen); });
        return taken(sorted, want.size()) == want;
      });
  cudaFree(space);
  // Limits lie halfway between values that there are.
  constexpr int kBins = 50;
  const float low = 0.45005f, high = 7.45005f;
  int* counts = reinterpret_cast<int*>(s.out);
  cub::DeviceHistogram::HistogramEven(nullptr, bytes, s.in, counts, kBins + 1, low, high, m);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "floats counted in fifty bins by cub", 4.0 * m,
      [&] { cub::DeviceHistogram::HistogramEven(space, bytes, s.in, counts, kBins + 1, low, high, m); },
      [&] {
        std::vector<int> want(kBins);
        for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
          ++want[static_cast<std::size_t>((double{float_of(i)} - 0.45005) / 0.14)];
        return taken(counts, kBins) == want;
      });
  cudaFree(space);
}

}  // namespace held_out_7

/// @file
/// Calls of cub: running sums of doubles, words of 64 bits sorted by comparing.
#include <algorithm>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

using Key = unsigned long long;
/// The lower half counts more.
struct LowerHalfFirst {
  __host__ __device__ bool operator()(Key a, Key b) const {
    return (a << 32 | a >> 32) < (b << 32 | b >> 32);
  }
};
Key key_of_words(std::size_t i) {
  return static_cast<Key>(word_of(2 * i + 1)) << 32 | word_of(2 * i);
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const auto summed = static_cast<int>(n / 16);
  const auto* from = reinterpret_cast<const double*>(s.in);
  auto* to = reinterpret_cast<double*>(s.out);
  std::size_t bytes = 0;
  ladder::check(cub::DeviceScan::InclusiveSum(nullptr, bytes, from, to, summed), "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "running sums of doubles by cub", 16.0 * summed,
      [&] { cub::DeviceScan::InclusiveSum(space, bytes, from, to, summed); },
      [&] {
        std::vector<double> want(static_cast<std::size_t>(summed));
        double sum = 0;
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = sum += double_of(i);
        return doubles(s, want.size(), [&](std::size_t i) { return want[i]; });
      });
  cudaFree(space);

  const auto sorted = static_cast<int>(n / 128);
  const auto* keys = reinterpret_cast<const Key*>(s.words);
  auto* in_order = reinterpret_cast<Key*>(s.out);
  ladder::check(cub::DeviceMergeSort::SortKeysCopy(nullptr, bytes, keys, in_order, sorted, LowerHalfFirst()),
                "cub");
  space = room<unsigned char>(bytes);
  s.run(
      "words of 64 bits sorted by their lower halves by merging by cub", 16.0 * sorted,
      [&] { cub::DeviceMergeSort::SortKeysCopy(space, bytes, keys, in_order, sorted, LowerHalfFirst()); },
      [&] {
        std::vector<Key> want(static_cast<std::size_t>(sorted));
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = key_of_words(i);
        std::sort(want.begin(), want.end(), LowerHalfFirst());
        return taken(in_order, want.size()) == want;
      });
  cudaFree(space);
}

}  // namespace held_out_15

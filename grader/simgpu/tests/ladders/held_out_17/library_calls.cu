/// @file
/// Calls of the toolkit's libraries: running sums that begin anew at each key, segments of unequal length sorted, both
/// by cub.
#include <algorithm>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kLongestRun = 97, kShortestSorted = 20, kMoreSorted = 1000;

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  std::vector<unsigned> keys(n / 32);
  for (std::size_t i = 0, left = 0, key = 0; i < keys.size(); ++i, --left) {
    if (left == 0) left = 1 + word_of(++key) % kLongestRun;
    keys[i] = as_number(key);
  }
  unsigned* keys_there = kept(keys);
  const auto keyed = static_cast<long long>(keys.size());
  std::size_t bytes = 0;
  ladder::check(cub::DeviceScan::ExclusiveSumByKey(nullptr, bytes, keys_there, s.words, s.numbers(), keyed),
                "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "sums before each that begin anew at each key by cub", 12.0 * real(keys.size()),
      [&] { cub::DeviceScan::ExclusiveSumByKey(space, bytes, keys_there, s.words, s.numbers(), keyed); },
      [&] {
        std::vector<unsigned> want(keys.size());
        for (std::size_t i = 1; i < want.size(); ++i)
          if (keys[i] == keys[i - 1]) want[i] = want[i - 1] + word_of(i - 1);
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space), cudaFree(keys_there);

  const unsigned segments = as_number(n >> 15);
  std::vector<int> ends(segments + std::size_t{1});
  for (unsigned k = 0; k < segments; ++k)
    ends[k + 1] = ends[k] + static_cast<int>(kShortestSorted + word_of(k + 83) % kMoreSorted);
  const int* starts = kept(ends);
  bytes = 0;
  ladder::check(cub::DeviceSegmentedSort::SortKeys(nullptr, bytes, s.words, s.numbers(), ends.back(),
                                                   static_cast<int>(segments), starts, starts + 1),
                "cub");
  space = room<unsigned char>(bytes);
  s.run(
      "segments of unequal length sorted by cub", 8.0 * ends.back(),
      [&] {
        cub::DeviceSegmentedSort::SortKeys(space, bytes, s.words, s.numbers(), ends.back(),
                                           static_cast<int>(segments), starts, starts + 1);
      },
      [&] {
        std::vector<unsigned> want(static_cast<std::size_t>(ends.back()));
        for (std::size_t i = 0; i < want.size(); ++i) want[i] = word_of(i);
        for (unsigned k = 0; k < segments; ++k) std::sort(want.begin() + ends[k], want.begin() + ends[k + 1]);
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space), cudaFree(const_cast<int*>(starts));
}

}  // namespace held_out_17

/// @file
/// Calls of the toolkit's libraries: greatest floats of segments of unequal length by cub, places in a rising list
/// by thrust.
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>

#include <algorithm>
#include <cub/device/device_segmented_reduce.cuh>

#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kFewestOfSegment = 40, kMoreOfSegment = 400;

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned segments = as_number(n / 2048);
  std::vector<int> ends(segments + std::size_t{1});
  for (unsigned k = 0; k < segments; ++k)
    ends[k + 1] = ends[k] + static_cast<int>(kFewestOfSegment + word_of(k + 71) % kMoreOfSegment);
  const int* starts = kept(ends);
  std::size_t bytes = 0;
  ladder::check(cub::DeviceSegmentedReduce::Max(nullptr, bytes, s.in, s.out, static_cast<int>(segments),
                                                starts, starts + 1),
                "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "greatest floats of segments of unequal length by cub", 4.0 * ends[segments] + 8.0 * segments,
      [&] {
        cub::DeviceSegmentedReduce::Max(space, bytes, s.in, s.out, static_cast<int>(segments), starts,
                                        starts + 1);
      },
      [&] {
        return floats(s, segments, [&](std::size_t k) {
          float greatest = 0;
          for (int i = ends[k]; i < ends[k + 1]; ++i)
            greatest = std::max(greatest, float_of(static_cast<std::size_t>(i)));
          return double{greatest};
        });
      });
  cudaFree(space), cudaFree(const_cast<int*>(starts));

  std::vector<unsigned> rising(n / 128);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = word_of(i + 5);
  std::sort(rising.begin(), rising.end());
  unsigned* there = kept(rising);
  const std::size_t sought = n / 64;
  s.run(
      "places of words in a rising list by thrust", 8.0 * real(sought),
      [&] {
        thrust::lower_bound(thrust::device, there, there + rising.size(), s.words + n / 2,
                            s.words + n / 2 + sought, s.numbers());
      },
      [&] {
        return numbers(s, sought, [&](std::size_t i) {
          return as_number(static_cast<std::size_t>(
              std::lower_bound(rising.begin(), rising.end(), word_of(n / 2 + i)) - rising.begin()));
        });
      });
  cudaFree(there);
}

}  // namespace held_out_16

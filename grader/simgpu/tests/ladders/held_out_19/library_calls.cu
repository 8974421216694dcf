/// @file
/// Calls of the toolkit's libraries: words parted into three, by cub; what either of two rising lists has,
/// by thrust.
#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>

#include <algorithm>
#include <cub/device/device_partition.cuh>
#include <iterator>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kSmallBelow = 1u << 30, kGreatFrom = 3u << 30;
struct IsSmall {
  __host__ __device__ bool operator()(unsigned word) const { return word < kSmallBelow; }
};
struct IsGreat {
  __host__ __device__ bool operator()(unsigned word) const { return word >= kGreatFrom; }
};
/// Numbers that rise by one to four.
std::vector<unsigned> rising_list(unsigned count, unsigned seed) {
  std::vector<unsigned> list(count);
  for (unsigned i = 0; i < count; ++i) list[i] = (i == 0 ? 0 : list[i - 1]) + 1 + word_of(i + seed) % 4;
  return list;
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned sorted_out = as_number(n / 16);
  unsigned *small = s.numbers(), *great = small + sorted_out, *between = great + sorted_out,
           *how_many = between + sorted_out;
  std::size_t bytes = 0;
  ladder::check(cub::DevicePartition::If(nullptr, bytes, s.words, small, great, between, how_many,
                                         static_cast<int>(sorted_out), IsSmall(), IsGreat()),
                "cub");
  auto* space = room<unsigned char>(bytes);
  s.run(
      "small, great and other words put into three arrays by cub", 8.0 * sorted_out,
      [&] {
        cub::DevicePartition::If(space, bytes, s.words, small, great, between, how_many,
                                 static_cast<int>(sorted_out), IsSmall(), IsGreat());
      },
      [&] {
        std::vector<unsigned> want[3];
        for (std::size_t i = 0; i < sorted_out; ++i) {
          const unsigned word = word_of(i);
          want[IsSmall()(word) ? 0 : IsGreat()(word) ? 1 : 2].push_back(word);
        }
        const std::vector<unsigned> counted = taken(how_many, 2);
        return counted[0] == want[0].size() && counted[1] == want[1].size() &&
               taken(small, want[0].size()) == want[0] && taken(great, want[1].size()) == want[1] &&
               taken(between, want[2].size()) == want[2];
      });
  cudaFree(space);

  const unsigned listed = as_number(n / 32);
  const std::vector<unsigned> first = rising_list(listed, 3), second = rising_list(listed, 1500007);
  std::vector<unsigned> either;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(either));
  unsigned *first_there = kept(first), *second_there = kept(second);
  const unsigned* end = nullptr;
  s.run(
      "what either of two rising lists has, once each, by thrust", 8.0 * listed + 4.0 * real(either.size()),
      [&] {
        end = thrust::set_union(thrust::device, first_there, first_there + listed, second_there,
                                second_there + listed, s.numbers());
      },
      [&] { return end == s.numbers() + either.size() && taken(s.numbers(), either.size()) == either; });
  cudaFree(first_there), cudaFree(second_there);
}

}  // namespace held_out_19

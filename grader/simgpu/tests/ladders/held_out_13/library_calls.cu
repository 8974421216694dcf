/// @file
/// A call of thrust: what two rising lists share.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/set_operations.h>

#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kSharedApart = 4, kOfOtherList = 8765;
__host__ __device__ __forceinline__ unsigned rising_number(std::size_t i, unsigned list) {
  return static_cast<unsigned>(i) * kSharedApart + word_of(i + list) % kSharedApart;
}
__global__ void fill_rising_numbers(unsigned* out, unsigned list, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = rising_number(i, list);
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const std::size_t first = n / 24, second = n / 32;
  auto *lists = room<unsigned>(first + second), *later = lists + first;
  fill_rising_numbers<<<Set::blocks(first), 256>>>(lists, 0, first);
  fill_rising_numbers<<<Set::blocks(second), 256>>>(later, kOfOtherList, second);
  ladder::check(cudaDeviceSynchronize(), "lists");
  s.run(
      "what two rising lists share by thrust", 4.0 * real(first + second),
      [&] { thrust::set_intersection(thrust::device, lists, later, later, later + second, s.numbers()); },
      [&] {
        std::vector<unsigned> want;
        for (std::size_t i = 0; i < second; ++i)
          if (rising_number(i, 0) == rising_number(i, kOfOtherList)) want.push_back(rising_number(i, 0));
        return taken(s.numbers(), want.size()) == want && s.number(want.size()) == 0;
      });
  cudaFree(lists);
}

}  // namespace held_out_13

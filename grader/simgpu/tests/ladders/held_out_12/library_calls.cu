/// @file
/// A call of thrust: two sorted lists merged.
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/merge.h>

#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

constexpr unsigned kListApart = 8, kOfSecond = 4321;
__host__ __device__ __forceinline__ unsigned rising(std::size_t i, unsigned list) {
  return static_cast<unsigned>(i) * kListApart + word_of(i + list) % kListApart;
}
__global__ void fill_rising(unsigned* out, unsigned list, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = rising(i, list);
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n;
  const std::size_t first = n / 16, second = n / 24;
  auto *lists = room<unsigned>(first + second), *later = lists + first;
  fill_rising<<<Set::blocks(first), 256>>>(lists, 0, first);
  fill_rising<<<Set::blocks(second), 256>>>(later, kOfSecond, second);
  ladder::check(cudaDeviceSynchronize(), "lists");
  s.run(
      "two sorted lists of words merged by thrust", 8.0 * real(first + second),
      [&] { thrust::merge(thrust::device, lists, later, later, later + second, s.numbers()); },
      [&] {
        std::vector<unsigned> a(first), b(second), want(first + second);
        for (std::size_t i = 0; i < first; ++i) a[i] = rising(i, 0);
        for (std::size_t i = 0; i < second; ++i) b[i] = rising(i, kOfSecond);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), want.begin());
        return taken(s.numbers(), want.size()) == want;
      });
  cudaFree(lists);
}

}  // namespace held_out_12

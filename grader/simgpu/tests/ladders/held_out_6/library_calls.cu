/// @file
/// Calls of a library of templates as lessons write them: words counted, a sort, the place of the greatest,
/// equal neighbours left out.
#include <thrust/count.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

struct Seventh {
  __host__ __device__ bool operator()(unsigned w) const { return w % 7 == 0; }
};
__global__ void few_runs(unsigned* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = ladder::word_of(i / 3);
}
__global__ void copied(const unsigned* in, unsigned* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = in[i];
}

}  // namespace

void library_calls(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  long count = 0;
  s.run(
      "multiples of seven counted by thrust", 4.0 * real(m),
      [&] { count = thrust::count_if(thrust::device, s.words, s.words + m, Seventh()); },
      [&] {
        long want = 0;
        for (std::size_t i = 0; i < m; ++i) want += word_of(i) % 7 == 0;
        return count == want;
      });
  const std::size_t some = n / 128;
  s.run(
      "words copied and sorted by thrust", 16.0 * real(some),
      [&] {
        copied<<<s.sms * 4, 256>>>(s.words, s.numbers(), some);
        thrust::sort(thrust::device, s.numbers(), s.numbers() + some);
      },
      [&] {
        std::vector<unsigned> want(some);
        for (std::size_t i = 0; i < some; ++i) want[i] = word_of(i);
        std::sort(want.begin(), want.end());
        return taken(s.numbers(), some) == want;
      });
  long place = -1;
  s.run(
      "place of the greatest by thrust", 4.0 * real(m),
      [&] { place = thrust::max_element(thrust::device, s.words, s.words + m) - s.words; },
      [&] {
        std::size_t want = 0;
        for (std::size_t i = 0; i < m; ++i)
          if (word_of(i) > word_of(want)) want = i;
        return place == static_cast<long>(want);
      });
  unsigned* there = room<unsigned>(m);
  few_runs<<<s.sms * 4, 256>>>(there, m);
  long left = 0;
  s.run(
      "equal neighbours left out by thrust", 16.0 / 3 * real(m),
      [&] { left = thrust::unique_copy(thrust::device, there, there + m, s.numbers()) - s.numbers(); },
      [&] {
        const std::size_t want = (m + 2) / 3;  // words of neighbours differ
        return left == static_cast<long>(want) && numbers(s, want, [](std::size_t i) { return word_of(i); });
      });
  cudaFree(there);
}

}  // namespace held_out_6

/// @file
/// What cub picks out: the least value and its place, words that are marked.
#include <cub/cub.cuh>

#include "held_out_7.hpp"

namespace held_out_7 {

void library_picks(Set& s) {
  const std::size_t n = s.n;
  auto* place = reinterpret_cast<long long*>(s.out) + 1;
  std::size_t bytes = 0;
  void* space = nullptr;
  const int m = static_cast<int>(n / 4), marked = static_cast<int>(n / 8);
  cub::DeviceReduce::ArgMin(nullptr, bytes, s.in + 3, s.out, place, m);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "least value and its place by cub", 4.0 * m,
      [&] { cub::DeviceReduce::ArgMin(space, bytes, s.in + 3, s.out, place, m); },
      [&] {
        std::size_t best = 0;
        for (std::size_t i = 1; i < n / 4; ++i)
          if (float_of(i + 3) < float_of(best + 3)) best = i;
        return Checked::at(place, 0) == static_cast<long long>(best) && s.value(0) == float_of(best + 3);
      });
  cudaFree(space);
  std::vector<unsigned char> marks(n / 8);
  for (std::size_t i = 0; i < marks.size(); ++i) marks[i] = word_of(i + 71) % 3 == 0;
  unsigned char* there = kept(marks);
  int* count = reinterpret_cast<int*>(s.out) + n / 2;
  cub::DeviceSelect::Flagged(nullptr, bytes, s.words, there, s.numbers(), count, marked);
  ladder::check(cudaMalloc(&space, bytes), "space");
  s.run(
      "words that are marked picked out by cub", (5.0 + 4.0 / 3) * marked,
      [&] { cub::DeviceSelect::Flagged(space, bytes, s.words, there, s.numbers(), count, marked); },
      [&] {
        std::vector<unsigned> want;
        for (std::size_t i = 0; i < marks.size(); ++i)
          if (marks[i] != 0) want.push_back(word_of(i));
        return Checked::at(count, 0) == static_cast<int>(want.size()) &&
               taken(s.numbers(), want.size()) == want;
      });
  cudaFree(space), cudaFree(there);
}

}  // namespace held_out_7

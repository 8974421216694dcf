/// @file
/// Arrays of a thread's own: a heap of the twelve least, queens on boards with holes.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kLeast = 12, kAsked = 48;

/// The greatest of the twelve stands on top; whoever is less takes its place and sinks.
__global__ void heaps(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t >= m) return;
  unsigned heap[kLeast];
  for (unsigned& place : heap) place = ~0u;
#pragma unroll 1
  for (unsigned k = 0; k < kAsked; ++k) {
    const unsigned v = in[k * m + t];
    if (v >= heap[0]) continue;
    unsigned at = 0;
    while (2 * at + 1 < kLeast) {
      unsigned below = 2 * at + 1;
      if (below + 1 < kLeast && heap[below + 1] > heap[below]) ++below;
      if (heap[below] <= v) break;
      heap[at] = heap[below];
      at = below;
    }
    heap[at] = v;
  }
  unsigned mixed = 0;
  for (const unsigned v : heap) mixed ^= v;
  out[t] = heap[0], out[m + t] = mixed;
}
constexpr unsigned kBoard = 6;
/// How many ways six queens can stand on a board of 6 x 6 with some fields gone; a row's choices wait on a
/// stack.
__host__ __device__ __forceinline__ unsigned ways_on(unsigned holes) {
  unsigned free[kBoard], columns[kBoard + 1], left[kBoard + 1], right[kBoard + 1], ways = 0;
  constexpr unsigned kAll = (1u << kBoard) - 1;
  columns[0] = left[0] = right[0] = 0;
  int row = 0;
  free[0] = kAll & ~(holes & holes >> 5);
  while (row >= 0) {
    if (free[row] == 0) {
      --row;
      continue;
    }
    const unsigned queen = free[row] & (0u - free[row]);
    free[row] ^= queen;
    if (row + 1 == static_cast<int>(kBoard)) {
      ++ways;
      continue;
    }
    columns[row + 1] = columns[row] | queen;
    left[row + 1] = (left[row] | queen) << 1;
    right[row + 1] = (right[row] | queen) >> 1;
    ++row;
    const unsigned gone = holes >> 4 * row & holes >> (4 * row + 3);
    free[row] = kAll & ~(columns[row] | left[row] | right[row] | gone);
  }
  return ways + 1;
}
__global__ void queens(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = ways_on(in[i]);
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n, m = n / 1024;
  s.run(
      "twelve least of 48 in a heap", 4.0 * (kAsked + 2) * real(m),
      [&] { heaps<<<Set::blocks(m, 128), 128>>>(s.words, s.numbers(), m); },
      [&] {
        return numbers(s, 2 * m, [&](std::size_t i) {
          std::vector<unsigned> all(kAsked);
          for (std::size_t k = 0; k < kAsked; ++k) all[k] = word_of(k * m + i % m);
          std::sort(all.begin(), all.end());
          unsigned mixed = 0;
          for (std::size_t k = 0; k < kLeast; ++k) mixed ^= all[k];
          return i < m ? all[kLeast - 1] : mixed;
        });
      });
  s.run(
      "queens on boards with holes", 8.0 * real(n / 2048),
      [&] { queens<<<Set::blocks(n / 2048, 64), 64>>>(s.words, s.numbers(), n / 2048); },
      [&] { return numbers(s, n / 2048, [](std::size_t i) { return ways_on(word_of(i)); }); });
}

}  // namespace held_out_4

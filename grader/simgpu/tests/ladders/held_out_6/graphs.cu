/// @file
/// Graphs: ranks of pages pushed along links by atomics, what is in both of two sorted lists.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kLinks = 6;

__host__ __device__ __forceinline__ unsigned target(unsigned word, unsigned nodes) {
  return ladder::place_of(word, nodes);
}
__global__ void push_ranks(const unsigned* links, const float* ranks, float* next, unsigned nodes) {
  const unsigned v = static_cast<unsigned>(global_index());
  if (v >= nodes) return;
  const float share = 0.85f * ranks[v] / kLinks;
  for (unsigned k = 0; k < kLinks; ++k) atomicAdd(&next[target(links[v * kLinks + k], nodes)], share);
}
constexpr unsigned kList = 32;
/// How many are in both of two rising lists.
__host__ __device__ __forceinline__ unsigned place_in_list(unsigned node, unsigned k) {
  return k * 8 + (scrambled(node * kList + k) & 7);
}
__global__ void make_lists(unsigned* lists, unsigned nodes) {
  for (std::size_t i = global_index(); i < nodes * std::size_t{kList}; i += stride())
    lists[i] = place_in_list(static_cast<unsigned>(i / kList), static_cast<unsigned>(i % kList));
}
__global__ void in_both(const unsigned* lists, const unsigned* pairs, unsigned* out, unsigned nodes,
                        std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned *a = lists + target(pairs[2 * i], nodes) * kList,
                 *b = lists + target(pairs[2 * i + 1], nodes) * kList;
  unsigned p = 0, q = 0, count = 0;
  while (p < kList && q < kList) {
    const unsigned u = a[p], v = b[q];
    count += u == v;
    p += u <= v, q += v <= u;
  }
  out[i] = count + 1;
}

}  // namespace

void graphs(Set& s) {
  const std::size_t n = s.n;
  const unsigned nodes = as_number(n / 256);
  s.run(
      "ranks of pages pushed along six links", (4.0 * kLinks * 2 + 8) * nodes,
      [&] {
        cudaMemsetAsync(s.out, 0, nodes * std::size_t{4});
        push_ranks<<<Set::blocks(nodes), 256>>>(s.words, s.in, s.out, nodes);
      },
      [&] {
        std::vector<double> want(nodes);
        for (std::size_t i = 0; i < nodes * std::size_t{kLinks}; ++i)
          want[target(word_of(i), nodes)] += 0.85 * float_of(i / kLinks) / kLinks;
        return floats(s, nodes, [&](std::size_t v) { return want[v]; });
      });
  unsigned* lists = room<unsigned>(nodes * std::size_t{kList});
  make_lists<<<s.sms * 8, 256>>>(lists, nodes);
  const std::size_t pairs = n / 256;
  s.run(
      "what is in both of two lists of 32", (8.0 * kList + 12) * real(pairs),
      [&] { in_both<<<Set::blocks(pairs, 128), 128>>>(lists, s.words, s.numbers(), nodes, pairs); },
      [&] {
        return numbers(s, pairs, [nodes](std::size_t i) {
          unsigned count = 1;
          for (unsigned k = 0; k < kList; ++k)
            count += place_in_list(target(word_of(2 * i), nodes), k) ==
                     place_in_list(target(word_of(2 * i + 1), nodes), k);
          return count;
        });
      });
  cudaFree(lists);
}

}  // namespace held_out_6

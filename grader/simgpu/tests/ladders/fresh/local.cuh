/// @file
/// Local arrays at run-time indices. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void sort_of_thread(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned mine[20];
#pragma unroll 1
  for (int k = 0; k < 20; ++k) {
    const unsigned v = in[i + k * m];
    int at = k;
#pragma unroll 1
    for (; at > 0 && mine[at - 1] > v; --at) mine[at] = mine[at - 1];
    mine[at] = v;
  }
#pragma unroll 1
  for (int k = 0; k < 20; ++k) out[i + k * m] = mine[k];
}
__global__ void walk_tree(const unsigned* wanted, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned threshold = ~0u / (1 + (wanted[i] & 63));
  unsigned stack[16], count = 0;
  int top = 0;
  stack[top++] = 1;
  while (top > 0) {
    const unsigned node = stack[--top];
    if (node >= 4096 || ~0u / node < threshold) continue;
    ++count;
    stack[top++] = 2 * node + 1;
    stack[top++] = 2 * node;
  }
  out[i] = count;
}

void Fresh::local() {
  run(
      "twenty sorted by a thread", one,
      [&] { sort_of_thread<<<blocks(n / 40, 128), 128>>>(words, numbers, n / 40); },
      [&] {
        return each(n / 40, [&](std::size_t i) {
          std::vector<unsigned> all;
          for (std::size_t k = 0; k < 20; ++k) all.push_back(word_of(i + k * (n / 40)));
          std::sort(all.begin(), all.end());
          return number(i + 9 * (n / 40)) == all[9];
        });
      });
  run(
      "a tree with a stack", one / 8,
      [&] { walk_tree<<<blocks(n / 16, 128), 128>>>(words, numbers, n / 16); },
      [&] {
        return each(n / 16, [&](std::size_t i) {
          const unsigned threshold = ~0u / (1 + (word_of(i) & 63));
          unsigned want = 0;
          for (unsigned k = 1; k < 4096; ++k) want += ~0u / k >= threshold;
          return number(i) == want;
        });
      });
}

}  // namespace

/// @file
/// Arrays of a thread's own at places that only the data know: sixteen words sorted by insertion, a stack that counts.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

__global__ void insert_sixteen(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t >= m) return;
  unsigned kept[16];
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    const unsigned v = in[k * m + t];
    int at = k;
    while (at > 0 && kept[at - 1] > v) kept[at] = kept[at - 1], --at;
    kept[at] = v;
  }
#pragma unroll 1
  for (int k = 0; k < 16; ++k) out[k * m + t] = kept[k];
}
/// Two bits of a word are an order: lay down a number, add, multiply, change the upper two.
__host__ __device__ __forceinline__ unsigned calculate(unsigned orders, unsigned seed) {
  unsigned stack[20], top = 0;
  stack[top++] = seed, stack[top++] = 1;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < 16; ++k, orders >>= 2) {
    const unsigned order = top < 2 ? 0 : orders & 3;
    if (order == 0) {
      stack[top++] = k * 5 + 3;
    } else if (order == 1) {
      --top;
      stack[top - 1] += stack[top];
    } else if (order == 2) {
      --top;
      stack[top - 1] = stack[top - 1] * stack[top] + 1;
    } else {
      const unsigned upper = stack[top - 1];
      stack[top - 1] = stack[top - 2], stack[top - 2] = upper;
    }
  }
  unsigned sum = top;
  while (top > 0) sum = sum * 31 + stack[--top];
  return sum;
}
__global__ void calculators(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = calculate(in[i], static_cast<unsigned>(i));
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n, threads = n / 512;
  s.run(
      "sixteen sorted by insertion, a thread each", 8.0 * 16 * real(threads),
      [&] { insert_sixteen<<<Set::blocks(threads, 128), 128>>>(s.words, s.numbers(), threads); },
      [&] {
        return numbers(s, 16 * threads, [&](std::size_t i) {
          std::vector<unsigned> mine(16);
          for (std::size_t k = 0; k < 16; ++k) mine[k] = word_of(k * threads + i % threads);
          std::sort(mine.begin(), mine.end());
          return mine[i / threads];
        });
      });
  s.run(
      "calculators with a stack", real(n) / 32,
      [&] { calculators<<<Set::blocks(n / 256), 256>>>(s.words, s.numbers(), n / 256); },
      [&] { return numbers(s, n / 256, [](std::size_t i) { return calculate(word_of(i), as_number(i)); }); });
}

}  // namespace held_out_3

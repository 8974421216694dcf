/// @file
/// Arrays of a thread: counts of a thread's own letters, a small stack for a walk through a tree, factors
/// of small matrices in registers, a ring of the last words.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kLetters = 64;
/// The commonest of 32 letters in 64 words of five bits, and how often it comes.
__host__ __device__ __forceinline__ unsigned commonest(const unsigned* words, std::size_t step) {
  unsigned short counts[32];
  for (unsigned short& c : counts) c = 0;
  for (unsigned k = 0; k < kLetters; ++k) ++counts[words[k * step] & 31];
  unsigned best = 0;
  for (unsigned c = 1; c < 32; ++c)
    if (counts[c] > counts[best]) best = c;
  return best * 256 + counts[best];
}
__global__ void commonest_letters(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = commonest(in + i, m);
}
/// A tree whose children come from the bits of their parents: what the first 48 nodes add up to.
__host__ __device__ __forceinline__ unsigned walk_tree(unsigned seed) {
  unsigned stack[24], top = 0, sum = 0, seen = 0;
  stack[top++] = seed;
  while (top > 0 && seen < 48) {
    const unsigned node = stack[--top];
    ++seen;
    sum = sum * 31u + (node & 255);
    const unsigned next = scrambled(node + seen);
    if ((next & 3) != 0 && top < 23) stack[top++] = next;
    if ((next & 4) != 0 && top < 23) stack[top++] = next ^ 0x5bd1e995u;
  }
  return sum + seen;
}
__global__ void walk_trees(const unsigned* seeds, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = walk_tree(seeds[i]);
}
constexpr int kLocalArraysSide = 8;
/// The Cholesky factor of a matrix that is kept whole in registers; its last entry is told.
template <typename T>
__host__ __device__ __forceinline__ T last_of_factor(T (&a)[kLocalArraysSide][kLocalArraysSide]) {
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
  for (int k = 0; k < kLocalArraysSide; ++k) {
    a[k][k] = sqrt(a[k][k]);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = k + 1; r < kLocalArraysSide; ++r) a[r][k] /= a[k][k];
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int r = k + 1; r < kLocalArraysSide; ++r)
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
      for (int c = k + 1; c <= r; ++c) a[r][c] -= a[r][k] * a[c][k];
  }
  return a[kLocalArraysSide - 1][kLocalArraysSide - 1];
}
__global__ void __launch_bounds__(128) factors(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float a[kLocalArraysSide][kLocalArraysSide];
#pragma unroll
  for (int r = 0; r < kLocalArraysSide; ++r)
#pragma unroll
    for (int c = 0; c <= r; ++c)
      a[r][c] = in[static_cast<std::size_t>(r * (r + 1) / 2 + c) * m + i] + (r == c ? 60.0f : 0.0f);
  out[i] = last_of_factor(a);
}
constexpr unsigned kWindow = 32;
/// A ring of the last 32 words: each new one is compared with one that was there some time ago.
__global__ void delays(const unsigned* in, unsigned* out, unsigned length, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned ring[kWindow], sum = 0;
  for (unsigned& w : ring) w = 7;
  for (unsigned k = 0; k < length; ++k) {
    const unsigned w = in[k * m + i];
    sum += w ^ ring[(k - (w >> 27)) % kWindow];
    ring[k % kWindow] = w;
  }
  out[i] = sum;
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n;
  const std::size_t texts = n / 1024;
  s.run(
      "commonest of a thread's 64 letters", 4.0 * (kLetters + 1) * real(texts),
      [&] { commonest_letters<<<Set::blocks(texts, 128), 128>>>(s.words, s.numbers(), texts); },
      [&] {
        return numbers(s, texts, [texts](std::size_t i) {
          std::vector<unsigned> words(kLetters);
          for (std::size_t k = 0; k < kLetters; ++k) words[k] = word_of(k * texts + i);
          return commonest(words.data(), 1);
        });
      });
  s.run(
      "trees walked with a stack a thread", 8.0 * real(n / 256),
      [&] { walk_trees<<<Set::blocks(n / 256, 128), 128>>>(s.words, s.numbers(), n / 256); },
      [&] { return numbers(s, n / 256, [](std::size_t i) { return walk_tree(word_of(i)); }); });
  const std::size_t matrices = n / 256;
  s.run(
      "roots of matrices of 8 x 8 in registers", 4.0 * 37 * real(matrices),
      [&] { factors<<<Set::blocks(matrices, 128), 128>>>(s.in, s.out, matrices); },
      [&] {
        return floats(s, matrices, [&](std::size_t i) {
          double a[kLocalArraysSide][kLocalArraysSide];
          for (int r = 0; r < kLocalArraysSide; ++r)
            for (int c = 0; c <= r; ++c)
              a[r][c] = float_of(static_cast<std::size_t>(r * (r + 1) / 2 + c) * matrices + i) +
                        (r == c ? 60.0 : 0.0);
          return last_of_factor(a);
        });
      });
  s.run(
      "delays by a ring of 32 words", 4.0 * 129 * real(n / 1024),
      [&] { delays<<<Set::blocks(n / 1024, 128), 128>>>(s.words, s.numbers(), 128, n / 1024); },
      [&] {
        return numbers(s, n / 1024, [n](std::size_t i) {
          unsigned ring[kWindow], sum = 0;
          for (unsigned& w : ring) w = 7;
          for (unsigned k = 0; k < 128; ++k) {
            const unsigned w = word_of(k * (n / 1024) + i);
            sum += w ^ ring[(k - (w >> 27)) % kWindow];
            ring[k % kWindow] = w;
          }
          return sum;
        });
      });
}

}  // namespace held_out_6

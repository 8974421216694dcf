/// @file
/// Arrays of a thread at places known only at run time: cards shuffled, systems of six with pivots; and more
/// values than a thread has registers.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr unsigned kCards = 24;
/// A word of what lies where after the cards were shuffled by words of a generator.
__host__ __device__ __forceinline__ unsigned shuffled(unsigned seed) {
  unsigned char cards[kCards];
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kCards; ++k) cards[k] = static_cast<unsigned char>(k);
#if defined(__CUDA_ARCH__)
#pragma unroll 1
#endif
  for (unsigned k = kCards - 1; k > 0; --k) {
    seed = seed * 1664525u + 1013904223u;
    const unsigned at = (seed >> 16) % (k + 1);
    const unsigned char card = cards[k];
    cards[k] = cards[at], cards[at] = card;
  }
  return cards[0] | cards[7] << 8 | cards[14] << 16 | static_cast<unsigned>(cards[23]) << 24;
}
__global__ void shuffle_cards(const unsigned* seeds, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = shuffled(seeds[i]);
}
constexpr int kUnknowns = 6;
/// Rows are exchanged by number: which is the greatest is known at run time.
template <typename T>
__host__ __device__ __forceinline__ T first_unknown(T (&a)[kUnknowns][kUnknowns + 1]) {
  int row[kUnknowns] = {0, 1, 2, 3, 4, 5};
  for (int k = 0; k < kUnknowns; ++k) {
    int most = k;
    for (int r = k + 1; r < kUnknowns; ++r)
      if (fabs(a[row[r]][k]) > fabs(a[row[most]][k])) most = r;
    const int pivot = row[most];
    row[most] = row[k], row[k] = pivot;
    for (int r = k + 1; r < kUnknowns; ++r) {
      const T by = a[row[r]][k] / a[pivot][k];
      for (int c = k; c <= kUnknowns; ++c) a[row[r]][c] -= by * a[pivot][c];
    }
  }
  T x[kUnknowns];
  for (int k = kUnknowns - 1; k >= 0; --k) {
    T v = a[row[k]][kUnknowns];
    for (int c = k + 1; c < kUnknowns; ++c) v -= a[row[k]][c] * x[c];
    x[k] = v / a[row[k]][k];
  }
  return x[0];
}
/// Word k of system i lies at k * m + i; 12 is added along a diagonal that wraps around.
__global__ void solve_six(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float a[kUnknowns][kUnknowns + 1];
  for (int r = 0; r < kUnknowns; ++r)
    for (int c = 0; c <= kUnknowns; ++c)
      a[r][c] = in[static_cast<std::size_t>(r * 7 + c) * m + i] + ((r + 2) % kUnknowns == c ? 12.0f : 0.0f);
  out[i] = first_unknown(a);
}
constexpr int kValues = 56;
/// 32 registers are allowed; 56 values are alive.
__global__ void __launch_bounds__(1024, 2) more_than_registers(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float v[kValues];
#pragma unroll
  for (int k = 0; k < kValues; ++k) v[k] = in[static_cast<std::size_t>(k) * m + i];
#pragma unroll
  for (int round = 1; round < 4; ++round)
#pragma unroll
    for (int k = 0; k < kValues; ++k) v[k] = 0.5f * v[k] + 0.25f * v[(k * 5 + round * 11) % kValues];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kValues; ++k) sum += v[k] * static_cast<float>(k + 1);
  out[i] = sum;
}

}  // namespace

void local_arrays(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "24 cards shuffled by a thread", 8.0 * real(n / 256),
      [&] { shuffle_cards<<<Set::blocks(n / 256, 128), 128>>>(s.words, s.numbers(), n / 256); },
      [&] { return numbers(s, n / 256, [](std::size_t i) { return shuffled(word_of(i)); }); });
  const std::size_t systems = n / 1024;
  s.run(
      "systems of six unknowns with pivots", 4.0 * 43 * real(systems),
      [&] { solve_six<<<Set::blocks(systems, 128), 128>>>(s.in, s.out, systems); },
      [&] {
        return within(s, systems, 5e-3, [&](std::size_t i) {
          double a[kUnknowns][kUnknowns + 1];
          for (int r = 0; r < kUnknowns; ++r)
            for (int c = 0; c <= kUnknowns; ++c)
              a[r][c] = float_of(static_cast<std::size_t>(r * 7 + c) * systems + i) +
                        ((r + 2) % kUnknowns == c ? 12.0 : 0.0);
          return first_unknown(a);
        });
      });
  const std::size_t threads = n / 512;
  s.run(
      "56 values in 32 registers", 4.0 * 57 * real(threads),
      [&] { more_than_registers<<<Set::blocks(threads, 512), 512>>>(s.in, s.out, threads); },
      [&] {
        return floats(s, threads, [&](std::size_t i) {
          double v[kValues], sum = 0;
          for (std::size_t k = 0; k < kValues; ++k) v[k] = float_of(k * threads + i);
          for (int round = 1; round < 4; ++round)
            for (int k = 0; k < kValues; ++k) v[k] = 0.5 * v[k] + 0.25 * v[(k * 5 + round * 11) % kValues];
          for (int k = 0; k < kValues; ++k) sum += v[k] * (k + 1);
          return sum;
        });
      });
}

}  // namespace held_out_5

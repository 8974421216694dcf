/// @file
/// Lanes that part: intervals halved until they are narrow, walkers that leave a field.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

/// The third root, the more exactly the more the word says.
__global__ void halve_until_near(const float* in, const unsigned* words, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float want = in[i];
  const float near = 1.0f / static_cast<float>(2 << (words[i] & 15));
  float low = 0, high = 2;
  while (high - low > near) {
    const float middle = 0.5f * (low + high);
    if (middle * middle * middle < want)
      low = middle;
    else
      high = middle;
  }
  out[i] = 0.5f * (low + high);
}
/// Steps until the edge of a field of 17 x 17 is met, 256 at most.
__host__ __device__ __forceinline__ unsigned walk(unsigned seed) {
  int x = 0, y = 0;
  unsigned steps = 0, state = seed | 1;
  while (x > -8 && x < 8 && y > -8 && y < 8 && steps < 256) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    const int by = (state & 2) != 0 ? 1 : -1;
    if ((state & 1) != 0)
      x += by;
    else
      y += by;
    ++steps;
  }
  return steps;
}
__global__ void walkers(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = walk(in[i]);
}

}  // namespace

void branches(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "third roots by halving until near", 12.0 * real(n / 64),
      [&] { halve_until_near<<<Set::blocks(n / 64), 256>>>(s.in, s.words, s.out, n / 64); },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          const double near = 1.0 / (2 << (word_of(i) & 15)) + 1e-5;
          return std::abs(s.value(i) - std::cbrt(double{float_of(i)})) <= near && s.value(i) > 0;
        });
      });
  s.run(
      "walkers that leave a field", 8.0 * real(n / 512),
      [&] { walkers<<<Set::blocks(n / 512, 128), 128>>>(s.words, s.numbers(), n / 512); },
      [&] { return numbers(s, n / 512, [](std::size_t i) { return walk(word_of(i)); }); });
}

}  // namespace held_out_3

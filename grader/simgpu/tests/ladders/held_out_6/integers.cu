/// @file
/// Whole numbers: a hash of lines of sixteen words, places on Hilbert's curve, primes by division, roots of
/// words of 64 bits.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__host__ __device__ __forceinline__ unsigned murmur(const unsigned* words, std::size_t step) {
  unsigned h = 42;
  for (int k = 0; k < 16; ++k) {
    unsigned w = words[static_cast<std::size_t>(k) * step] * 0xcc9e2d51u;
    w = (w << 15 | w >> 17) * 0x1b873593u;
    h ^= w;
    h = (h << 13 | h >> 19) * 5u + 0xe6546b64u;
  }
  h ^= 64;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}
__global__ void murmurs(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = murmur(in + i, m);
}
__host__ __device__ __forceinline__ unsigned hilbert(unsigned x, unsigned y) {
  unsigned d = 0;
  for (unsigned side = 1u << 15; side > 0; side /= 2) {
    const unsigned rx = (x & side) != 0, ry = (y & side) != 0;
    d += side * side * ((3 * rx) ^ ry);
    if (ry == 0) {
      if (rx == 1) x = 65535 - x, y = 65535 - y;
      const unsigned other = x;
      x = y, y = other;
    }
  }
  return d;
}
__global__ void hilberts(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = hilbert(in[i] & 65535, in[i] >> 16);
}
__host__ __device__ __forceinline__ unsigned least_divisor(unsigned v) {
  if (v % 2 == 0) return 2;
  for (unsigned d = 3; d * d <= v; d += 2)
    if (v % d == 0) return d;
  return v;
}
__global__ void divisors(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = least_divisor((in[i] & 0xffff) + 3);
}
/// Bit by bit.
__host__ __device__ __forceinline__ unsigned whole_root(unsigned long long v) {
  unsigned long long root = 0, bit = 1ull << 62;
  while (bit != 0) {
    if (v >= root + bit) {
      v -= root + bit;
      root = (root >> 1) + bit;
    } else {
      root >>= 1;
    }
    bit >>= 2;
  }
  return static_cast<unsigned>(root);
}
__global__ void whole_roots(const uint2* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = whole_root(static_cast<unsigned long long>(in[i].x) << 32 | in[i].y);
}

}  // namespace

void integers(Set& s) {
  const std::size_t n = s.n, lines = n / 128;
  s.run(
      "hashes of sixteen words that lie apart", 68.0 * real(lines),
      [&] { murmurs<<<Set::blocks(lines), 256>>>(s.words, s.numbers(), lines); },
      [&] {
        return numbers(s, lines, [&](std::size_t i) {
          unsigned words[16];
          for (std::size_t k = 0; k < 16; ++k) words[k] = word_of(k * lines + i);
          return murmur(words, 1);
        });
      });
  s.run(
      "places on Hilbert's curve", 8.0 * real(n / 32),
      [&] { hilberts<<<Set::blocks(n / 32), 256>>>(s.words, s.numbers(), n / 32); },
      [&] {
        return numbers(s, n / 32,
                       [](std::size_t i) { return hilbert(word_of(i) & 65535, word_of(i) >> 16); });
      });
  s.run(
      "least divisors by trying", 8.0 * real(n / 256),
      [&] { divisors<<<Set::blocks(n / 256, 128), 128>>>(s.words, s.numbers(), n / 256); },
      [&] {
        return numbers(s, n / 256, [](std::size_t i) { return least_divisor((word_of(i) & 0xffff) + 3); });
      });
  s.run(
      "whole roots of 64 bits, bit by bit", 12.0 * real(n / 64),
      [&] {
        whole_roots<<<Set::blocks(n / 64), 256>>>(reinterpret_cast<uint2*>(s.words), s.numbers(), n / 64);
      },
      [&] {
        return numbers(s, n / 64, [](std::size_t i) {
          return whole_root(std::uint64_t{word_of(2 * i)} << 32 | word_of(2 * i + 1));
        });
      });
}

}  // namespace held_out_6

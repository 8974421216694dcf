/// @file
/// Kernels that instructions hold up: hashes, sequences of integers, random trials.
#include "blind.hpp"

namespace blind {
namespace {

__constant__ unsigned round_keys[64];
__host__ __device__ __forceinline__ unsigned key_of(unsigned k) {
  return scrambled(k * 7919 + 3);
}

__host__ __device__ __forceinline__ unsigned turned(unsigned v, int by) {
  return v >> by | v << (32 - by);
}
/// The compression of SHA-256, with keys of our own.
__host__ __device__ __forceinline__ unsigned digest(const unsigned* message) {
  unsigned w[16], h[8];
#pragma unroll
  for (int k = 0; k < 16; ++k) w[k] = message[k];
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) h[k] = 0x6a09e667u + 0x3c6ef372u * k;
#pragma unroll
  for (int r = 0; r < 64; ++r) {
    if (r >= 16) {
      const unsigned a = w[(r + 1) % 16], b = w[(r + 14) % 16];
      w[r % 16] += (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[(r + 9) % 16] +
                   (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
#ifdef __CUDA_ARCH__
    const unsigned key = round_keys[r];
#else
    const unsigned key = key_of(static_cast<unsigned>(r));
#endif
    const unsigned e = h[4], a = h[0];
    const unsigned t =
        h[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & h[5]) ^ (~e & h[6])) + key + w[r % 16];
    const unsigned u =
        (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & h[1]) ^ (a & h[2]) ^ (h[1] & h[2]));
#pragma unroll
    for (int k = 7; k > 0; --k) h[k] = h[k - 1];
    h[4] += t, h[0] = t + u;
  }
  return h[0] ^ h[3] ^ h[6];
}
__global__ void __launch_bounds__(128) digests(const uint4* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  alignas(16) unsigned message[16];
#pragma unroll
  for (int k = 0; k < 4; ++k) reinterpret_cast<uint4*>(message)[k] = in[4 * i + k];
  out[i] = digest(message);
}

using Long = unsigned long long;
/// A hash by products of 64 bits, four times over 16 bytes.
__host__ __device__ __forceinline__ Long mixed(Long a, Long b) {
  Long h = 0x27d4eb2f165667c5ull;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    a = (a ^ h >> 31) * 0x9e3779b185ebca87ull;
    b = (b + (a << 27 | a >> 37)) * 0xc2b2ae3d27d4eb4full;
    h = (h ^ b ^ b >> 29) * 0x165667b19e3779f9ull;
  }
  return h ^ h >> 32;
}
__global__ void mix_longs(const ulonglong2* in, Long* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const ulonglong2 v = in[i];
  out[i] = mixed(v.x, v.y);
}
/// How many of a thread's random points lie in the circle.
__host__ __device__ __forceinline__ unsigned hits(unsigned seed, int trials) {
  unsigned inside = 0;
#pragma unroll 4
  for (int k = 0; k < trials; ++k) {
    seed = seed * 1664525u + 1013904223u;
    const float x = static_cast<float>(seed >> 8) * (1.0f / 16777216);
    seed = seed * 1664525u + 1013904223u;
    const float y = static_cast<float>(seed >> 8) * (1.0f / 16777216);
    inside += x * x + y * y < 1.0f;
  }
  return inside;
}
__global__ void __launch_bounds__(256) throw_points(unsigned* out, int trials) {
  const std::size_t i = global_index();
  out[i] = hits(scrambled(static_cast<unsigned>(i)), trials);
}
/// Euclid's algorithm: each pair takes as many divisions as it takes.
__host__ __device__ __forceinline__ unsigned common_divisor(unsigned a, unsigned b) {
  while (b != 0) {
    const unsigned rest = a % b;
    a = b, b = rest;
  }
  return a;
}
__global__ void common_divisors(const uint2* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint2 v = in[i];
  out[i] = common_divisor(v.x >> 12, v.y >> 12);
}
__global__ void long_remainders(const ulonglong2* in, Long* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const ulonglong2 v = in[i];
  out[i] = v.x % (v.y >> 20 | 1);
}

}  // namespace

void issue_bound(Set& s) {
  const std::size_t n = s.n;
  unsigned keys[64];
  for (unsigned k = 0; k < 64; ++k) keys[k] = key_of(k);
  ladder::check(cudaMemcpyToSymbol(round_keys, keys, sizeof keys), "keys");
  const auto word2 = [](std::size_t i) { return word_of(i) | static_cast<Long>(word_of(i + 1)) << 32; };
  const auto longs = reinterpret_cast<Long*>(s.out);
  s.run(
      "digests of 64 bytes", 17 * s.one / 64,
      [&] {
        digests<<<Set::blocks(n / 64, 128), 128>>>(reinterpret_cast<uint4*>(s.words), s.numbers(), n / 64);
      },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          unsigned message[16];
          for (unsigned k = 0; k < 16; ++k) message[k] = word_of(16 * i + k);
          return s.number(i) == digest(message);
        });
      });
  s.run(
      "hashes by products of 64 bits", 1.5 * s.one,
      [&] { mix_longs<<<Set::blocks(n / 4), 256>>>(reinterpret_cast<ulonglong2*>(s.words), longs, n / 4); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          return Checked::at(longs, i) == mixed(word2(4 * i), word2(4 * i + 2));
        });
      });
  s.run(
      "points thrown", 4.0 * 256 * s.sms * 32, [&] { throw_points<<<s.sms * 32, 256>>>(s.numbers(), 256); },
      [&] {
        // The card may round a sum once where the host rounds twice.
        return Set::each(std::size_t{256} * s.sms * 32, [&](std::size_t i) {
          const int want = static_cast<int>(hits(scrambled(static_cast<unsigned>(i)), 256));
          return std::abs(static_cast<int>(s.number(i)) - want) <= 1;
        });
      });
  s.run(
      "greatest common divisors", 12.0 * static_cast<double>(n / 16),
      [&] {
        common_divisors<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<uint2*>(s.words), s.numbers(), n / 16);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          return s.number(i) == common_divisor(word_of(2 * i) >> 12, word_of(2 * i + 1) >> 12);
        });
      });
  s.run(
      "remainders of 64 bits", 24.0 * static_cast<double>(n / 16),
      [&] {
        long_remainders<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<ulonglong2*>(s.words), longs, n / 16);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          return Checked::at(longs, i) == word2(4 * i) % (word2(4 * i + 2) >> 20 | 1);
        });
      });
}

}  // namespace blind

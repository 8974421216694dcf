/// @file
/// Whole numbers: a hash of words of 64 bits, a generator of 64 bits, remainders by what is known at run
/// time, a checksum bit by bit.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

using Wide = unsigned long long;

__host__ __device__ __forceinline__ Wide turned(Wide v, int by) {
  return v << by | v >> (64 - by);
}
__host__ __device__ __forceinline__ void sip_round(Wide (&v)[4]) {
  v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
  v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
  v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
  v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}
/// SipHash-2-4 of four words, whose length is not mixed in.
__host__ __device__ __forceinline__ Wide sip_hash(const Wide (&words)[4]) {
  Wide v[4] = {0x736f6d6570736575ull ^ 7, 0x646f72616e646f6dull ^ 9, 0x6c7967656e657261ull ^ 7,
               0x7465646279746573ull ^ 9};
  for (const Wide w : words) {
    v[3] ^= w;
    sip_round(v), sip_round(v);
    v[0] ^= w;
  }
  v[2] ^= 0xff;
  for (int k = 0; k < 4; ++k) sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
__global__ void hash_words(const ulonglong2* in, Wide* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const ulonglong2 a = in[2 * i], b = in[2 * i + 1];
  out[i] = sip_hash({a.x, a.y, b.x, b.y});
}
/// PCG: 64 bits of state, 32 of what is drawn.
__host__ __device__ __forceinline__ unsigned drawn(Wide state, int draws) {
  unsigned sum = 0;
  for (int k = 0; k < draws; ++k) {
    const unsigned word = static_cast<unsigned>(((state >> 18) ^ state) >> 27);
    const unsigned by = static_cast<unsigned>(state >> 59);
    sum ^= word >> by | word << (32 - by & 31);
    state = state * 6364136223846793005ull + 1442695040888963407ull;
  }
  return sum;
}
__global__ void draw(const unsigned* seeds, unsigned* out, int draws, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = drawn(seeds[i] + (Wide{seeds[i]} << 32), draws);
}
__host__ __device__ __forceinline__ unsigned remains(unsigned v, unsigned a, unsigned b) {
  unsigned sum = 0;
  for (int k = 0; k < 12; ++k) {
    sum += v % a + v / b;
    v = v * 1664525u + 1013904223u;
  }
  return sum;
}
__global__ void remainders(const unsigned* in, unsigned* out, unsigned a, unsigned b, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = remains(in[i], a, b);
}
__host__ __device__ __forceinline__ unsigned checked_bits(unsigned v) {
  unsigned sum = ~0u ^ v;
  for (int bit = 0; bit < 32; ++bit) sum = sum & 1 ? sum >> 1 ^ 0xedb88320u : sum >> 1;
  return ~sum;
}
__global__ void checksums(const uint2* in, uint2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint2 v = in[i];
  out[i] = make_uint2(checked_bits(v.x), checked_bits(v.y));
}

}  // namespace

void integers(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "hash of 32 bytes by adding and turning", 40.0 * real(n / 64),
      [&] {
        hash_words<<<Set::blocks(n / 64), 256>>>(reinterpret_cast<ulonglong2*>(s.words),
                                                 reinterpret_cast<Wide*>(s.out), n / 64);
      },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          Wide words[4];
          for (std::size_t k = 0; k < 4; ++k)
            words[k] = Wide{word_of(8 * i + 2 * k + 1)} << 32 | word_of(8 * i + 2 * k);
          return Checked::at(reinterpret_cast<Wide*>(s.out), i) == sip_hash(words);
        });
      });
  s.run(
      "32 draws of a generator of 64 bits", 8.0 * real(n / 64),
      [&] { draw<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), 32, n / 64); },
      [&] {
        return numbers(s, n / 64,
                       [](std::size_t i) { return drawn(word_of(i) + (Wide{word_of(i)} << 32), 32); });
      });
  s.run(
      "remainders by a launch's numbers", 8.0 * real(n / 64),
      [&] { remainders<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), 1009, 77, n / 64); },
      [&] { return numbers(s, n / 64, [](std::size_t i) { return remains(word_of(i), 1009, 77); }); });
  s.run(
      "checksums bit by bit", 8.0 * real(n / 16),
      [&] {
        checksums<<<Set::blocks(n / 32), 256>>>(reinterpret_cast<uint2*>(s.words),
                                                reinterpret_cast<uint2*>(s.out), n / 32);
      },
      [&] { return numbers(s, n / 16, [](std::size_t i) { return checked_bits(word_of(i)); }); });
}

}  // namespace held_out_5

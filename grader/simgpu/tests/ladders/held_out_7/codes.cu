/// @file
/// Codes: rising numbers whose differences are packed into as few bits as 128 of them need, a stream cipher of
/// adding, turning and exclusive or.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr unsigned kPack = 128, kRoom = kPack + 2;

/// A warp packs 128: first number, bits of a difference, then differences.
__global__ void __launch_bounds__(128) pack_differences(const unsigned* in, unsigned* out, unsigned packs) {
  __shared__ unsigned packed[4][kPack];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32, p = blockIdx.x * 4 + warp;
  if (p >= packs) return;
  unsigned difference[4], any = 0;
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned i = p * kPack + k * 32 + lane;
    difference[k] = k * 32 + lane == 0 ? 0 : in[i] - in[i - 1];
    any |= difference[k];
    packed[warp][k * 32 + lane] = 0;
  }
  const unsigned bits = 32 - __clz(static_cast<int>(__reduce_or_sync(~0u, any)));
  __syncwarp();
  for (unsigned k = 0; k < 4; ++k) {
    const unsigned at = (k * 32 + lane) * bits, shift = at % 32;
    atomicOr(&packed[warp][at / 32], difference[k] << shift);
    if (shift + bits > 32) atomicOr(&packed[warp][at / 32 + 1], difference[k] >> (32 - shift));
  }
  __syncwarp();
  unsigned* mine = out + p * std::size_t{kRoom};
  if (lane == 0) mine[0] = in[p * kPack], mine[1] = bits;
  for (unsigned k = lane; k < kPack / 32 * bits; k += 32) mine[2 + k] = packed[warp][k];
}

__host__ __device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  a += b, d ^= a, d = d << 16 | d >> 16;
  c += d, b ^= c, b = b << 12 | b >> 20;
  a += b, d ^= a, d = d << 8 | d >> 24;
  c += d, b ^= c, b = b << 7 | b >> 25;
}
__global__ void __launch_bounds__(256)
    chacha(const uint4* plain, uint4* sealed, uint4 key, uint4 more, unsigned m) {
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i >= m) return;
  const unsigned begin[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key.x, key.y, key.z, key.w,
                              more.x,     more.y,     more.z,     more.w,     i,     7,     8,     9};
  unsigned v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = begin[k];
#pragma unroll 2
  for (int round = 0; round < 10; ++round) {
    quarter(v[0], v[4], v[8], v[12]), quarter(v[1], v[5], v[9], v[13]);
    quarter(v[2], v[6], v[10], v[14]), quarter(v[3], v[7], v[11], v[15]);
    quarter(v[0], v[5], v[10], v[15]), quarter(v[1], v[6], v[11], v[12]);
    quarter(v[2], v[7], v[8], v[13]), quarter(v[3], v[4], v[9], v[14]);
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint4 p = plain[i * 4 + k];
    sealed[i * 4 + k] =
        make_uint4(p.x ^ (v[4 * k] + begin[4 * k]), p.y ^ (v[4 * k + 1] + begin[4 * k + 1]),
                   p.z ^ (v[4 * k + 2] + begin[4 * k + 2]), p.w ^ (v[4 * k + 3] + begin[4 * k + 3]));
  }
}

}  // namespace

void codes(Set& s) {
  const std::size_t n = s.n;
  const unsigned packs = as_number(n / 16 / kPack);
  std::vector<unsigned> rising(packs * std::size_t{kPack});
  double moved = 0;
  for (std::size_t i = 0; i < rising.size(); ++i) {
    const std::size_t bits = 3 + i / kPack % 14;
    rising[i] = (i == 0 ? 99 : rising[i - 1]) + (word_of(i) & ((1u << bits) - 1));
    moved += 4 + real(bits) / 8;
  }
  unsigned* there = kept(rising);
  s.run(
      "differences of 128 packed into as few bits", moved,
      [&] { pack_differences<<<Set::blocks(packs, 4), 128>>>(there, s.numbers(), packs); },
      [&] {
        const auto got = taken(s.numbers(), packs * std::size_t{kRoom});
        for (std::size_t p = 0; p < packs; p += 37) {
          const unsigned* mine = &got[p * kRoom];
          unsigned most = 0, value = mine[0];
          for (std::size_t k = 0; k < kPack; ++k) {
            unsigned difference = 0;
            for (std::size_t b = 0; b < mine[1]; ++b) {
              const std::size_t at = k * mine[1] + b;
              difference |= (mine[2 + at / 32] >> at % 32 & 1) << b;
            }
            value += difference, most = std::max(most, difference);
            if (value != rising[p * kPack + k]) return false;
          }
          if (most >> mine[1] != 0 || most >> (mine[1] - 1) == 0) return false;
        }
        return true;
      });
  cudaFree(there);
  const unsigned m = as_number(n / 128);
  const uint4 key = make_uint4(11, 22, 33, 44), more = make_uint4(55, 66, 77, 88);
  s.run(
      "stream cipher of twenty rounds, 64 bytes a thread", 128.0 * m,
      [&] {
        chacha<<<Set::blocks(m), 256>>>(reinterpret_cast<const uint4*>(s.words),
                                        reinterpret_cast<uint4*>(s.out), key, more, m);
      },
      [&] {
        return numbers(s, m * std::size_t{16}, [](std::size_t i) {
          const unsigned begin[16] = {
              0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,        11, 22, 33, 44, 55,
              66,         77,         88,         as_number(i / 16), 7,  8,  9};
          unsigned v[16];
          std::copy(begin, begin + 16, v);
          for (int round = 0; round < 20; ++round)
            for (unsigned k = 0; k < 4; ++k) {
              const unsigned lean = round % 2;
              unsigned *a = v + k, *b = v + 4 + (k + lean) % 4, *c = v + 8 + (k + 2 * lean) % 4,
                       *d = v + 12 + (k + 3 * lean) % 4;
              const auto half = [](unsigned& x, unsigned& y, unsigned& z, unsigned by) {
                x += y, z ^= x, z = z << by | z >> (32 - by);
              };
              half(*a, *b, *d, 16), half(*c, *d, *b, 12), half(*a, *b, *d, 8), half(*c, *d, *b, 7);
            }
          return word_of(i) ^ (v[i % 16] + begin[i % 16]);
        });
      });
}

}  // namespace held_out_7

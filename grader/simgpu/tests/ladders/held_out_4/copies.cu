/// @file
/// Arrays passed over once, in pieces of other sizes: bytes by sixteen, halves by eight, 64 bytes in a row.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

/// Bytes with a sign; those below nought become nought.
__device__ __forceinline__ unsigned positive(unsigned w) {
  return w & ~(((w & 0x80808080u) >> 7) * 255u);
}
__global__ void positive_bytes(const uint4* in, uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 v = in[i];
  out[i] = make_uint4(positive(v.x), positive(v.y), positive(v.z), positive(v.w));
}
__global__ void widen(const uint4* in, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 v = in[i];
  const unsigned words[4] = {v.x, v.y, v.z, v.w};
  float2 pairs[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    __half2 pair;
    memcpy(&pair, &words[k], 4);
    pairs[k] = __half22float2(pair);
  }
  out[2 * i] = make_float4(pairs[0].x, pairs[0].y, pairs[1].x, pairs[1].y);
  out[2 * i + 1] = make_float4(pairs[2].x, pairs[2].y, pairs[3].x, pairs[3].y);
}
__global__ void four_in_a_row(const uint4* in, uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
#pragma unroll
  for (std::size_t k = 0; k < 4; ++k) out[4 * i + k] = in[4 * i + k];
}

}  // namespace

void copies(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "bytes below nought made nought, sixteen a thread", real(n),
      [&] {
        positive_bytes<<<Set::blocks(n / 32), 256>>>(reinterpret_cast<uint4*>(s.words),
                                                     reinterpret_cast<uint4*>(s.out), n / 32);
      },
      [&] {
        // 64 around each place: half of them are not nought.
        return Set::each(n / 2 - 64, [&](std::size_t first) {
          unsigned some = 0;
          const auto got = taken(reinterpret_cast<unsigned char*>(s.out) + first, 64);
          for (std::size_t k = 0; k < 64; ++k) {
            const unsigned byte = byte_of(first + k);
            if (got[k] != (byte < 128 ? byte : 0)) return false;
            some += got[k];
          }
          return some > 0;
        });
      });
  s.run(
      "halves made floats, eight a thread", 6.0 * real(n / 8),
      [&] {
        widen<<<Set::blocks(n / 64, 128), 128>>>(reinterpret_cast<uint4*>(s.halves), s.vectors(), n / 64);
      },
      [&] { return within(s, n / 8, 0, [](std::size_t i) { return double{half_of(i)}; }); });
  s.run(
      "64 bytes in a row a thread", real(n),
      [&] {
        four_in_a_row<<<Set::blocks(n / 128), 256>>>(reinterpret_cast<uint4*>(s.words),
                                                     reinterpret_cast<uint4*>(s.out), n / 128);
      },
      [&] { return numbers(s, n / 8, [](std::size_t i) { return word_of(i); }) && s.number(n / 9) != 0; });
}

}  // namespace held_out_4

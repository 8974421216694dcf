/// @file
/// Streams of elements: Gray codes of 64 bits, floats packed into four bits with a scale; a stride of pairs,
/// one field of records.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

using Long = unsigned long long;

__global__ void gray_codes(const ulonglong2* in, ulonglong2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const ulonglong2 v = in[i];
  out[i] = make_ulonglong2(v.x ^ v.x >> 1, v.y ^ v.y >> 1);
}

constexpr unsigned kScaled = 32;
constexpr float kMiddleOfFloats = 3.75f, kSteps = 7.0f;
/// A warp packs 32 floats: the greatest of them is seven steps from nought.
__global__ void __launch_bounds__(256) pack_four_bits(const float* in, float* scales, unsigned* codes) {
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 32;
  const float v = in[i] - kMiddleOfFloats;
  const float greatest = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(fabsf(v))));
  const float step = greatest / kSteps;
  const int code = static_cast<int>(rintf(v / step)) + 8;
  unsigned word = static_cast<unsigned>(code) << (4 * (lane % 8));
  for (int d = 1; d < 8; d *= 2) word |= __shfl_xor_sync(~0u, word, d);
  if (lane % 8 == 0) codes[i / 8] = word;
  if (lane == 0) scales[i / kScaled] = step;
}

constexpr unsigned kThirteen = 13;
__global__ void lengths_of_pairs(const float2* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 v = in[kThirteen * i];
  out[i] = sqrtf(v.x * v.x + v.y * v.y);
}

struct Keyed {
  double amount;
  unsigned key;
  float rates[3];
};
__global__ void take_keys(const Keyed* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[i].key;
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const std::size_t coded = n / 16;
  s.run(
      "Gray codes of words of 64 bits, two a thread", 32.0 * real(coded),
      [&] {
        gray_codes<<<Set::blocks(coded), 256>>>(reinterpret_cast<const ulonglong2*>(s.words),
                                                reinterpret_cast<ulonglong2*>(s.out), coded);
      },
      [&] {
        const auto* got = reinterpret_cast<const Long*>(s.out);
        return Set::each(2 * coded, [&](std::size_t i) {
          const Long v = Long{word_of(2 * i + 1)} << 32 | word_of(2 * i);
          return Checked::at(got, i) == (v ^ v >> 1);
        });
      });

  const std::size_t packed = n / 8 / 256 * 256;
  unsigned* codes = s.numbers() + n / 2;
  s.run(
      "floats kept as four bits, 32 with a scale", 4.625 * real(packed),
      [&] { pack_four_bits<<<Set::blocks(packed), 256>>>(s.in, s.out, codes); },
      [&] {
        return Set::each(packed / kScaled, [&](std::size_t block) {
          float greatest = 0;
          for (std::size_t k = 0; k < kScaled; ++k)
            greatest = std::max(greatest, std::abs(float_of(block * kScaled + k) - kMiddleOfFloats));
          if (!Set::near(s.value(block), greatest / kSteps, 1e-6)) return false;
          for (std::size_t k = 0; k < kScaled; ++k) {
            const float v = float_of(block * kScaled + k) - kMiddleOfFloats;
            const unsigned code = Checked::at(codes, block * 4 + k / 8) >> (4 * (k % 8)) & 15;
            const float back = (static_cast<float>(code) - 8) * (greatest / kSteps);
            if (std::abs(back - v) > 0.501f * greatest / kSteps) return false;
          }
          return true;
        });
      });

  const std::size_t thirteenths = n / 52;
  s.run(
      "lengths of each thirteenth pair of floats", 12.0 * real(thirteenths),
      [&] {
        lengths_of_pairs<<<Set::blocks(thirteenths, 128), 128>>>(reinterpret_cast<const float2*>(s.in), s.out,
                                                                 thirteenths);
      },
      [&] {
        return floats(s, thirteenths, [](std::size_t i) {
          return std::hypot(double{float_of(2 * kThirteen * i)}, double{float_of(2 * kThirteen * i + 1)});
        });
      });
  const std::size_t records = n / 24;
  constexpr std::size_t kWords = sizeof(Keyed) / 4;
  s.run(
      "keys taken out of records of 24 bytes", 8.0 * real(records),
      [&] {
        take_keys<<<Set::blocks(records, 512), 512>>>(reinterpret_cast<const Keyed*>(s.words), s.numbers(),
                                                      records);
      },
      [&] { return numbers(s, records, [](std::size_t i) { return word_of(kWords * i + 2); }); });
}

}  // namespace held_out_12

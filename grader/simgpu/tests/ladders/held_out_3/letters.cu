/// @file
/// Text: windows of eight letters compared by a sum that rolls along.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kFactor = 0x01000193u;

/// Of eight letters, drawn from sixteen.
__host__ __device__ __forceinline__ unsigned sum_of(const unsigned char* text) {
  unsigned sum = 0;
  for (int k = 0; k < 8; ++k) sum = sum * kFactor + (text[k] & 15);
  return sum;
}
/// How many of 32 windows have a sum that ends in looked-for bits, of two kinds.
__host__ __device__ __forceinline__ unsigned found_in(const unsigned char* text) {
  unsigned leaving = 1;
  for (int k = 0; k < 8; ++k) leaving *= kFactor;
  unsigned sum = sum_of(text), found = 0;
  for (int k = 0; k < 32; ++k) {
    found += (sum >> 24) == 0x5a;
    found += unsigned{(sum >> 13 & 7) == 3} << 8;
    sum = sum * kFactor + (text[k + 8] & 15) - leaving * (text[k] & 15);
  }
  return found;
}
__global__ void look_along(const unsigned char* text, unsigned* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t < m) out[t] = found_in(text + 32 * t);
}

}  // namespace

void letters(Set& s) {
  const std::size_t m = s.n / 128;
  s.run(
      "windows of eight letters by a rolling sum", 36.0 * real(m),
      [&] { look_along<<<Set::blocks(m), 256>>>(reinterpret_cast<unsigned char*>(s.words), s.numbers(), m); },
      [&] {
        return numbers(s, m, [](std::size_t t) {
          unsigned char text[40];
          for (std::size_t k = 0; k < 40; ++k) text[k] = static_cast<unsigned char>(byte_of(32 * t + k));
          return found_in(text);
        });
      });
}

}  // namespace held_out_3

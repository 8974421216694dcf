/// @file
/// Text: letters counted, made large, written as hexadecimal digits, compared with a word.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Text of the data: letters and spaces.
__host__ __device__ __forceinline__ unsigned char letter_of(unsigned byte) {
  return static_cast<unsigned char>(byte % 5 == 0 ? ' ' : 'a' + byte % 26);
}
__global__ void count_spaces(const uchar4* in, unsigned* count, std::size_t m) {
  unsigned mine = 0;
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const uchar4 v = in[i];
    mine +=
        (letter_of(v.x) == ' ') + (letter_of(v.y) == ' ') + (letter_of(v.z) == ' ') + (letter_of(v.w) == ' ');
  }
  mine = __reduce_add_sync(~0u, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(count, mine);
}
__global__ void enlarge(const unsigned char* in, unsigned char* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned char c = letter_of(in[i]);
  out[i] = c >= 'a' && c <= 'z' ? c - 32 : c;
}
__global__ void to_digits(const unsigned* in, unsigned char* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned v = in[i];
  for (int k = 0; k < 8; ++k) {
    const unsigned d = v >> (28 - 4 * k) & 15;
    out[8 * i + k] = static_cast<unsigned char>(d < 10 ? '0' + d : 'a' + d - 10);
  }
}
/// Where does a word of three letters begin? Most places are given up after the first letter.
__global__ void find_word(const unsigned char* in, unsigned char* out, std::size_t m, uchar3 word) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const bool here =
      letter_of(in[i]) == word.x && letter_of(in[i + 1]) == word.y && letter_of(in[i + 2]) == word.z;
  out[i] = here ? 2 : 1;
}

}  // namespace

void letters(Set& s) {
  const std::size_t n = s.n;
  auto* text = reinterpret_cast<unsigned char*>(s.words);
  auto* out = reinterpret_cast<unsigned char*>(s.out);
  s.run(
      "spaces counted", s.one / 4,
      [&] { count_spaces<<<s.sms * 8, 256>>>(reinterpret_cast<uchar4*>(text), s.numbers(), n / 4); },
      [&] {
        unsigned count = 0;
        for (std::size_t i = 0; i < n; ++i) count += letter_of(byte_of(i)) == ' ';
        return s.number(0) == count;
      });
  s.run(
      "letters made large", s.one / 8, [&] { enlarge<<<Set::blocks(n / 4), 256>>>(text, out, n / 4); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          const unsigned char c = letter_of(byte_of(i));
          return s.byte(i) == (c == ' ' ? c : c - 32u);
        });
      });
  s.run(
      "words written as digits", 12.0 * real(n / 16),
      [&] { to_digits<<<Set::blocks(n / 16), 256>>>(s.words, out, n / 16); },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          char digits[9];
          std::snprintf(digits, sizeof digits, "%08x", word_of(i / 8));
          return s.byte(i) == static_cast<unsigned char>(digits[i % 8]);
        });
      });
  s.run(
      "a word looked for", s.one / 8,
      [&] { find_word<<<Set::blocks(n / 4), 256>>>(text, out, n / 4, make_uchar3('c', ' ', 'h')); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          const bool here = letter_of(byte_of(i)) == 'c' && letter_of(byte_of(i + 1)) == ' ' &&
                            letter_of(byte_of(i + 2)) == 'h';
          return s.byte(i) == (here ? 2u : 1u);
        });
      });
}

}  // namespace held_out_2

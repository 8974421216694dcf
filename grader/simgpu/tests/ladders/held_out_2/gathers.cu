/// @file
/// Reads and writes where an index says: anywhere, in order with gaps, within a table.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__global__ void gather(const unsigned* index, const float* from, float* out, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i < m) out[i] = from[place_of(index[i], size)];
}
/// Indices that rise by one to sixteen.
__global__ void gather_rising(const unsigned* index, const float* from, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = from[8 * i + index[i] % 16];
}
__global__ void scatter(const unsigned* word, unsigned* out, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i < m) out[place_of(word[i], size)] = 0x80000000u | static_cast<unsigned>(i);
}
/// A path of eight steps through the table: each address waits for a value.
__global__ void follow(const unsigned* words, unsigned* out, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned at = static_cast<unsigned>(i);
#pragma unroll 1
  for (int k = 0; k < 8; ++k) at = place_of(words[at], size);
  out[i] = at + 1;
}

}  // namespace

void gathers(Set& s) {
  const std::size_t n = s.n;
  const auto all = static_cast<unsigned>(n);
  s.run(
      "gather from everywhere", 12.0 * real(n / 16),
      [&] { gather<<<Set::blocks(n / 16), 256>>>(s.words, s.in, s.out, n / 16, all); },
      [&] {
        return floats(
            s, n / 16, [&](std::size_t i) { return float_of(place_of(word_of(i), all)); }, 0);
      });
  s.run(
      "gather from a quarter of L2", 12.0 * real(n / 8),
      [&] { gather<<<Set::blocks(n / 8), 256>>>(s.words, s.in, s.out, n / 8, s.table / 4); },
      [&] {
        return floats(
            s, n / 8, [&](std::size_t i) { return float_of(place_of(word_of(i), s.table / 4)); }, 0);
      });
  s.run(
      "gather by rising indices", 12.0 * real(n / 16),
      [&] { gather_rising<<<Set::blocks(n / 16), 256>>>(s.words, s.in, s.out, n / 16); },
      [&] {
        return floats(
            s, n / 16, [&](std::size_t i) { return float_of(8 * i + word_of(i) % 16); }, 0);
      });
  s.run(
      "scatter to everywhere", 8.0 * real(n / 32),
      [&] { scatter<<<Set::blocks(n / 32), 256>>>(s.words, s.numbers(), n / 32, all); },
      [&] {
        return Set::each(n / 32, [&](std::size_t i) {
          const unsigned at = place_of(word_of(i), all), got = s.number(at);
          return got >> 31 == 1 &&
                 place_of(word_of(got & 0x7fffffffu), all) == at;  // another may have come later
        });
      });
  s.run(
      "paths of eight steps in L2", 4.0 * 8 * real(n / 64),
      [&] { follow<<<Set::blocks(n / 64, 128), 128>>>(s.words, s.numbers(), n / 64, s.table / 2); },
      [&] {
        return numbers(s, n / 64, [&](std::size_t i) {
          auto at = static_cast<unsigned>(i);
          for (int k = 0; k < 8; ++k) at = place_of(word_of(at), s.table / 2);
          return at + 1;
        });
      });
}

}  // namespace held_out_2

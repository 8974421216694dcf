/// @file
/// Through indices: bags of eight rows added up, an index of an index.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr unsigned kWidth = 64, kBag = 8;

/// A bag of eight rows of a table, a block of 64 threads each.
__global__ void __launch_bounds__(kWidth)
    bags(const unsigned* which, const float* table, float* out, unsigned rows) {
  float sum = 0;
  for (unsigned k = 0; k < kBag; ++k) {
    const unsigned row = ladder::place_of(which[blockIdx.x * kBag + k], rows);
    sum += table[row * std::size_t{kWidth} + threadIdx.x];
  }
  out[blockIdx.x * std::size_t{kWidth} + threadIdx.x] = sum;
}
__global__ void twice(const unsigned* first, const unsigned* second, const float* values, float* out,
                      unsigned places, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned at = ladder::place_of(first[i], places);
  out[i] = values[ladder::place_of(second[at], places)];
}

}  // namespace

void indices(Set& s) {
  const std::size_t n = s.n;
  const unsigned table_rows = as_number(n / 4 / kWidth), many = as_number(n / 32 / kWidth);
  s.run(
      "bags of eight rows added up", 4.0 * kWidth * (kBag + 1) * many,
      [&] { bags<<<many, kWidth>>>(s.words, s.in, s.out, table_rows); },
      [&] {
        return floats(s, many * std::size_t{kWidth}, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kBag; ++k)
            sum += float_of(place_of(word_of(i / kWidth * kBag + k), table_rows) * std::size_t{kWidth} +
                            i % kWidth);
          return sum;
        });
      });
  const unsigned places = as_number(n / 64);
  s.run(
      "an index of an index", 16.0 * real(n / 16),
      [&] { twice<<<Set::blocks(n / 16), 256>>>(s.words, s.words + n / 2, s.in, s.out, places, n / 16); },
      [&] {
        return floats(s, n / 16, [&](std::size_t i) {
          return double{float_of(place_of(word_of(n / 2 + place_of(word_of(i), places)), places))};
        });
      });
}

}  // namespace held_out_6

/// @file
/// Reads and writes whose places come from data: whole rows, two look-ups in turn, a search by halves, between two values.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kLookUpsRow = 128, kShort = 32, kLimits = 65536;

/// A warp a row.
__global__ void rows_by_number(const unsigned* which, const float4* rows, float4* out, unsigned count,
                               std::size_t m) {
  const std::size_t k = global_index() / 32, lane = threadIdx.x % 32;
  if (k >= m) return;
  const std::size_t row = place_of(which[k], count);
  out[k * (kLookUpsRow / 4) + lane] = rows[row * (kLookUpsRow / 4) + lane];
}
__global__ void add_rows(const unsigned* which, const float* rows, float* out, unsigned count,
                         std::size_t m) {
  const std::size_t k = global_index() / 32, lane = threadIdx.x % 32;
  if (k >= m) return;
  atomicAdd(&out[place_of(which[k], count) * std::size_t{kShort} + lane], rows[k * kShort + lane]);
}
__global__ void two_deep(const unsigned* words, const float* values, float* out, unsigned table,
                         std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = values[place_of(words[place_of(words[i], table)], table)];
}
__global__ void search(const unsigned* words, const unsigned* limits, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned key = words[i];
  unsigned low = 0, high = kLimits;
  while (low < high) {
    const unsigned middle = (low + high) / 2;
    if (limits[middle] <= key)
      low = middle + 1;
    else
      high = middle;
  }
  out[i] = low;
}
/// Between two of 1024 values.
__global__ void interpolated(const float* in, const float* table, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float at = in[i] * 128;
  const int k = static_cast<int>(at);
  const float low = table[k], high = table[k + 1];
  out[i] = low + (at - static_cast<float>(k)) * (high - low);
}

}  // namespace

void look_ups(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 2 / kLookUpsRow);
  const std::size_t wanted = n / 512;
  s.run(
      "rows of 128 by number", 8.0 * kLookUpsRow * real(wanted),
      [&] {
        rows_by_number<<<Set::blocks(wanted, 8), 256>>>(s.words, reinterpret_cast<float4*>(s.in), s.vectors(),
                                                        rows, wanted);
      },
      [&] {
        return floats(
            s, wanted * kLookUpsRow,
            [&](std::size_t i) {
              return double{float_of(place_of(word_of(i / kLookUpsRow), rows) * std::size_t{kLookUpsRow} +
                                     i % kLookUpsRow)};
            },
            0);
      });
  const unsigned sums = s.table / kShort / 4;
  const std::size_t added = n / 256;
  s.run(
      "rows of 32 added by number", 8.0 * kShort * real(added),
      [&] { add_rows<<<Set::blocks(added, 8), 256>>>(s.words, s.in, s.out, sums, added); },
      [&] {
        return Set::each(sums, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = 0; k < added; ++k)
            if (place_of(word_of(k), sums) == row) sum += float_of(k * kShort + 5);
          return Set::near(s.value(row * kShort + 5), sum);
        });
      });
  s.run(
      "a look-up by a look-up", 0.5 * real(n),
      [&] { two_deep<<<Set::blocks(n / 32), 256>>>(s.words, s.in, s.out, s.table, n / 32); },
      [&] {
        return floats(
            s, n / 32,
            [&](std::size_t i) {
              return double{float_of(place_of(word_of(place_of(word_of(i), s.table)), s.table))};
            },
            0);
      });
  std::vector<unsigned> limits(kLimits);
  for (unsigned k = 0; k < kLimits; ++k) limits[k] = k << 16 | (word_of(k) & 0xffff);
  unsigned* there = kept(limits);
  s.run(
      "search by halves in 65536", real(n) / 16,
      [&] { search<<<Set::blocks(n / 128), 256>>>(s.words, there, s.numbers(), n / 128); },
      [&] {
        return numbers(s, n / 128, [&](std::size_t i) {
          return as_number(std::upper_bound(limits.begin(), limits.end(), word_of(i)) - limits.begin());
        });
      });
  s.run(
      "between values of a table of 4 kB", real(n),
      [&] { interpolated<<<Set::blocks(n / 8), 256>>>(s.in, s.other, s.out, n / 8); },
      [&] {
        return floats(s, n / 8, [](std::size_t i) {
          const double at = double{float_of(i)} * 128;
          const auto k = static_cast<std::size_t>(at);
          return other_of(k) + (at - static_cast<double>(k)) * (other_of(k + 1) - other_of(k));
        });
      });
  cudaFree(there);
}

}  // namespace held_out_3

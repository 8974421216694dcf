/// @file
/// Sparse matrices: diagonals by their offsets, rows of equal length by four lanes, a product with eight
/// vectors at once, products only where entries are.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kDiagonals = 7;
__constant__ int offsets[kDiagonals];

__global__ void by_diagonals(const float* values, const float* x, float* y, int rows) {
  const int r = static_cast<int>(global_index());
  if (r >= rows) return;
  float sum = 0;
  for (int d = 0; d < kDiagonals; ++d) {
    const int c = r + offsets[d];
    if (c >= 0 && c < rows) sum += values[static_cast<std::size_t>(d) * rows + r] * x[c];
  }
  y[r] = sum;
}
constexpr unsigned kEntries = 16;
/// Sixteen entries a row; four lanes take four each.
__global__ void by_four_lanes(const uint4* columns, const float4* values, const float* x, float* y,
                              unsigned rows) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i / 4 >= rows) return;
  const uint4 c = columns[i];
  const float4 v = values[i];
  float sum = v.x * x[ladder::place_of(c.x, rows)] + v.y * x[ladder::place_of(c.y, rows)] +
              v.z * x[ladder::place_of(c.z, rows)] + v.w * x[ladder::place_of(c.w, rows)];
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (i % 4 == 0) y[i / 4] = sum;
}
constexpr unsigned kVectors = 8;
/// Eight vectors side by side; eight lanes have a row.
__global__ void by_eight_vectors(const unsigned* columns, const float* values, const float* x, float* y,
                                 unsigned rows) {
  const unsigned i = static_cast<unsigned>(global_index()), r = i / kVectors, v = i % kVectors;
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = r * kEntries; k < (r + 1) * kEntries; ++k)
    sum += values[k] * x[ladder::place_of(columns[k], rows) * kVectors + v];
  y[i] = sum;
}
constexpr unsigned kSparseDepth = 32;
/// Entry e is the product of rows of two narrow matrices: a warp has an entry.
__global__ void where_entries_are(const unsigned* rows, const unsigned* columns, const float* a,
                                  const float* b, float* out, unsigned places, unsigned entries) {
  const unsigned e = static_cast<unsigned>(global_index() / 32), lane = threadIdx.x % 32;
  if (e >= entries) return;
  float v = a[ladder::place_of(rows[e], places) * kSparseDepth + lane] *
            b[ladder::place_of(columns[e], places) * kSparseDepth + lane];
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (lane == 0) out[e] = v;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned long_rows = as_number(n / 32), rows = as_number(n / 256);
  const int side = 512;
  const std::vector<int> here = {-side, -2, -1, 0, 1, 2, side};
  ladder::check(cudaMemcpyToSymbol(offsets, here.data(), sizeof offsets), "offsets");
  s.run(
      "seven diagonals by their offsets", 4.0 * (kDiagonals + 2) * long_rows,
      [&] {
        by_diagonals<<<Set::blocks(long_rows), 256>>>(s.in, s.other, s.out, static_cast<int>(long_rows));
      },
      [&] {
        return floats(s, long_rows, [&](std::size_t r) {
          double sum = 0;
          for (int d = 0; d < kDiagonals; ++d) {
            const long c = static_cast<long>(r) + here[static_cast<std::size_t>(d)];
            if (c >= 0 && c < static_cast<long>(long_rows))
              sum += double{float_of(static_cast<std::size_t>(d) * long_rows + r)} *
                     other_of(static_cast<std::size_t>(c));
          }
          return sum;
        });
      });
  s.run(
      "sixteen entries a row by four lanes", 8.0 * kEntries * rows + 4.0 * rows,
      [&] {
        by_four_lanes<<<Set::blocks(rows * std::size_t{4}), 256>>>(
            reinterpret_cast<uint4*>(s.words), reinterpret_cast<float4*>(s.in), s.other, s.out, rows);
      },
      [&] {
        return floats(s, rows, [&](std::size_t r) {
          double sum = 0;
          for (std::size_t k = r * kEntries; k < (r + 1) * kEntries; ++k)
            sum += double{float_of(k)} * other_of(place_of(word_of(k), rows));
          return sum;
        });
      });
  const unsigned fewer = as_number(n / 1024);
  s.run(
      "sparse rows by eight vectors at once", (8.0 * kEntries + 8.0 * kVectors) * fewer,
      [&] {
        by_eight_vectors<<<Set::blocks(fewer * std::size_t{kVectors}), 256>>>(s.words, s.in, s.other, s.out,
                                                                              fewer);
      },
      [&] {
        return floats(s, fewer * std::size_t{kVectors}, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / kVectors * kEntries; k < (i / kVectors + 1) * kEntries; ++k)
            sum += double{float_of(k)} *
                   other_of(place_of(word_of(k), fewer) * std::size_t{kVectors} + i % kVectors);
          return sum;
        });
      });
  const unsigned places = as_number(n / 512);
  s.run(
      "products only where entries are", (8.0 * kSparseDepth + 12) * rows,
      [&] {
        where_entries_are<<<Set::blocks(rows * std::size_t{32}), 256>>>(s.words, s.words + n / 2, s.in,
                                                                        s.other, s.out, places, rows);
      },
      [&] {
        return floats(s, rows, [&](std::size_t e) {
          double sum = 0;
          for (std::size_t k = 0; k < kSparseDepth; ++k)
            sum += double{float_of(place_of(word_of(e), places) * std::size_t{kSparseDepth} + k)} *
                   other_of(place_of(word_of(n / 2 + e), places) * std::size_t{kSparseDepth} + k);
          return sum;
        });
      });
}

}  // namespace held_out_6

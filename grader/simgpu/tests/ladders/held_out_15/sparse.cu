/// @file
/// A sparse matrix by eight vectors that lie side by side.
#include "held_out_15.hpp"

namespace held_out_15 {
namespace {

constexpr unsigned kSideBySide = 8, kFewestOfRow = 4, kMoreOfRow = 13;
inline unsigned entries_of_row(std::size_t row) {
  return kFewestOfRow + word_of(row + 53) % kMoreOfRow;
}
/// Each of a row's eight lanes has a vector. An entry's column is where its word points.
__global__ void __launch_bounds__(256)
    rows_by_eight_vectors(const unsigned* starts, const unsigned* words, const float* values,
                          const float* vectors, float* out, unsigned rows) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, row = i / kSideBySide, v = i % kSideBySide;
  if (row >= rows) return;
  const unsigned end = starts[row + 1];
  float sum = 0.0f;
  for (unsigned k = starts[row]; k < end; ++k)
    sum += values[k] * vectors[place_of(words[k], rows) * kSideBySide + v];
  out[i] = sum;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 128);
  std::vector<unsigned> starts(rows + std::size_t{1});
  for (unsigned r = 0; r < rows; ++r) starts[r + 1] = starts[r] + entries_of_row(r);
  const unsigned entries = starts[rows];
  unsigned* of_rows = kept(starts);
  s.run(
      "sparse rows by eight vectors side by side, eight lanes a row",
      8.0 * entries + (4.0 + 8.0 * kSideBySide) * rows,
      [&] {
        rows_by_eight_vectors<<<Set::blocks(std::size_t{rows} * kSideBySide), 256>>>(of_rows, s.words, s.in,
                                                                                     s.other, s.out, rows);
      },
      [&] {
        return floats(s, std::size_t{kSideBySide} * rows, [&](std::size_t i) {
          double sum = 0;
          for (unsigned k = starts[i / kSideBySide]; k < starts[i / kSideBySide + 1]; ++k)
            sum += double{float_of(k)} *
                   other_of(std::size_t{place_of(word_of(k), rows)} * kSideBySide + i % kSideBySide);
          return sum;
        });
      });
  cudaFree(of_rows);
}

}  // namespace held_out_15

/// @file
/// A sparse matrix of rows with one to twenty-four entries anywhere: a thread a row, sixteen lanes a row, an
/// atomic an entry, and the rows padded to the longest.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace cg = cooperative_groups;

__global__ void csr_by_threads(const unsigned* begins, const unsigned* columns, const float* values,
                               const float* x, float* y, unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index());
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = begins[r]; k < begins[r + 1]; ++k) sum += values[k] * x[columns[k]];
  y[r] = sum;
}
__global__ void csr_by_groups(const unsigned* begins, const unsigned* columns, const float* values,
                              const float* x, float* y, unsigned rows) {
  const auto group = cg::tiled_partition<16>(cg::this_thread_block());
  const unsigned r = static_cast<unsigned>(global_index() / 16);
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = begins[r] + group.thread_rank(); k < begins[r + 1]; k += 16)
    sum += values[k] * x[columns[k]];
  sum = cg::reduce(group, sum, cg::plus<float>());
  if (group.thread_rank() == 0) y[r] = sum;
}
__global__ void coo_by_atomics(const unsigned* rows, const unsigned* columns, const float* values,
                               const float* x, float* y, unsigned entries) {
  const unsigned k = static_cast<unsigned>(global_index());
  if (k < entries) atomicAdd(&y[rows[k]], values[k] * x[columns[k]]);
}
constexpr unsigned kLongest = 24, kNone = ~0u;
__global__ void ell_by_threads(const unsigned* columns, const float* values, const float* x, float* y,
                               unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index());
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = 0; k < kLongest; ++k) {
    const unsigned c = columns[k * rows + r];
    if (c != kNone) sum += values[k * rows + r] * x[c];
  }
  y[r] = sum;
}

}  // namespace

void sparse(Set& s) {
  const unsigned rows = as_number(s.n / 768);
  std::vector<unsigned> begins(rows + 1), columns, row_of, padded(rows * std::size_t{kLongest}, kNone);
  std::vector<float> padded_values(padded.size());
  for (unsigned r = 0; r < rows; ++r) {
    const unsigned length = 1 + place_of(word_of(r + 77), kLongest);
    for (unsigned k = 0; k < length; ++k) {
      const std::size_t at = columns.size();
      padded[k * std::size_t{rows} + r] = place_of(word_of(at), rows);
      padded_values[k * std::size_t{rows} + r] = float_of(at);
      columns.push_back(place_of(word_of(at), rows)), row_of.push_back(r);
    }
    begins[r + 1] = as_number(columns.size());
  }
  const unsigned entries = begins[rows];
  unsigned *begins_there = kept(begins), *columns_there = kept(columns), *rows_there = kept(row_of),
           *padded_there = kept(padded);
  float* values_there = kept(padded_values);
  const double moved = 8.0 * entries + 12.0 * rows;
  const auto right = [&] {
    return floats(s, rows, [&](std::size_t r) {
      double sum = 0;
      for (std::size_t k = begins[r]; k < begins[r + 1]; ++k)
        sum += double{float_of(k)} * other_of(columns[k]);
      return sum;
    });
  };
  s.run(
      "entries of unequal rows, a thread a row", moved,
      [&] {
        csr_by_threads<<<Set::blocks(rows, 128), 128>>>(begins_there, columns_there, s.in, s.other, s.out,
                                                        rows);
      },
      right);
  s.run(
      "entries of unequal rows, sixteen lanes a row", moved,
      [&] {
        csr_by_groups<<<Set::blocks(rows * std::size_t{16}), 256>>>(begins_there, columns_there, s.in,
                                                                    s.other, s.out, rows);
      },
      right);
  s.run(
      "entries by coordinates, an atomic each", 12.0 * entries + 4.0 * rows,
      [&] {
        cudaMemsetAsync(s.out, 0, rows * std::size_t{4});
        coo_by_atomics<<<Set::blocks(entries), 256>>>(rows_there, columns_there, s.in, s.other, s.out,
                                                      entries);
      },
      right);
  s.run(
      "entries of rows padded to the longest", 8.0 * kLongest * rows,
      [&] { ell_by_threads<<<Set::blocks(rows), 256>>>(padded_there, values_there, s.other, s.out, rows); },
      right);
  for (void* p :
       {static_cast<void*>(begins_there), static_cast<void*>(columns_there), static_cast<void*>(rows_there),
        static_cast<void*>(padded_there), static_cast<void*>(values_there)})
    cudaFree(p);
}

}  // namespace held_out_5

/// @file
/// Sparse matrices: rows in slices of 32 padded to the longest of a slice, rows pushed by warps to what their
/// columns sum to, entries dealt evenly whatever row they are of.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

/// Entries of a slice's 32 rows lie side by side.
__global__ void by_slices(const unsigned* __restrict__ slices, const unsigned* __restrict__ columns,
                          const float* __restrict__ values, const float* __restrict__ x, float* y,
                          unsigned rows) {
  const unsigned r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const unsigned begin = slices[r / 32], end = slices[r / 32 + 1];
  float sum = 0;
  for (unsigned k = begin + r % 32; k < end; k += 32) sum += values[k] * __ldg(&x[columns[k]]);
  y[r] = sum;
}
__global__ void push_rows(const unsigned* begins, const unsigned* columns, const float* values,
                          const float* x, float* y, unsigned rows) {
  const unsigned r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  const float weight = x[r];
  for (unsigned k = begins[r] + lane; k < begins[r + 1]; k += 32)
    atomicAdd(&y[columns[k]], weight * values[k]);
}
constexpr unsigned kDealt = 8;
/// A thread has eight entries; where its first row begins is searched for.
__global__ void dealt_evenly(const unsigned* begins, const unsigned* columns, const float* values,
                             const float* x, float* y, unsigned rows, unsigned entries) {
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * kDealt;
  if (first >= entries) return;
  const unsigned last = min(first + kDealt, entries);
  unsigned low = 0, high = rows;  // the last row that begins at or before first
  while (high - low > 1) {
    const unsigned mid = (low + high) >> 1;
    if (begins[mid] <= first)
      low = mid;
    else
      high = mid;
  }
  float sum = 0;
  unsigned end = begins[low + 1];
  for (unsigned k = first; k < last; ++k) {
    if (k == end) {
      atomicAdd(y + low, sum);
      sum = 0;
      end = begins[++low + 1];
    }
    sum += values[k] * x[columns[k]];
  }
  atomicAdd(y + low, sum);
}

}  // namespace

void sparse(Set& s) {
  const unsigned rows = as_number(s.n / 256 / 32 * 32);
  std::vector<unsigned> begins(rows + std::size_t{1});
  for (std::size_t r = 0; r < rows; ++r) begins[r + 1] = begins[r] + 3 + word_of(r + 5) % 22;
  const unsigned entries = begins.back();
  std::vector<unsigned> columns(entries);
  for (std::size_t k = 0; k < entries; ++k) columns[k] = place_of(word_of(k), rows);
  std::vector<unsigned> slices(rows / 32 + std::size_t{1}), slice_columns;
  std::vector<float> slice_values;
  for (std::size_t b = 0; b < rows / 32; ++b) {
    unsigned longest = 0;
    for (std::size_t r = 32 * b; r < 32 * b + 32; ++r) longest = std::max(longest, begins[r + 1] - begins[r]);
    slices[b + 1] = slices[b] + 32 * longest;
    for (unsigned k = 0; k < longest; ++k)
      for (std::size_t r = 32 * b; r < 32 * b + 32; ++r) {
        const bool is = begins[r] + k < begins[r + 1];
        slice_columns.push_back(is ? columns[begins[r] + k] : 0);
        slice_values.push_back(is ? float_of(begins[r] + k) : 0.0f);
      }
  }
  unsigned *d_begins = kept(begins), *d_columns = kept(columns), *d_slices = kept(slices),
           *d_slice_columns = kept(slice_columns);
  float* d_slice_values = kept(slice_values);
  const auto by_rows = [&](std::size_t r) {
    double sum = 0;
    for (std::size_t k = begins[r]; k < begins[r + 1]; ++k) sum += double{float_of(k)} * other_of(columns[k]);
    return sum;
  };
  s.run(
      "slices of 32 rows, each padded to its longest", 8.0 * real(slice_columns.size()) + 8.0 * rows,
      [&] {
        by_slices<<<Set::blocks(rows, 128), 128>>>(d_slices, d_slice_columns, d_slice_values, s.other, s.out,
                                                   rows);
      },
      [&] { return floats(s, rows, by_rows); });
  s.run(
      "rows pushed to what columns sum to, a warp a row", 12.0 * entries + 12.0 * rows,
      [&] {
        cudaMemsetAsync(s.out, 0, rows * std::size_t{4});
        push_rows<<<Set::blocks(rows * std::size_t{32}), 256>>>(d_begins, d_columns, s.in, s.other, s.out,
                                                                rows);
      },
      [&] {
        std::vector<double> want(rows);
        for (std::size_t r = 0; r < rows; ++r)
          for (std::size_t k = begins[r]; k < begins[r + 1]; ++k)
            want[columns[k]] += double{float_of(k)} * other_of(r);
        return floats(s, rows, [&](std::size_t c) { return want[c]; });
      });
  s.run(
      "entries of rows dealt evenly, eight a thread", 8.0 * entries + 8.0 * rows,
      [&] {
        cudaMemsetAsync(s.out, 0, rows * std::size_t{4});
        dealt_evenly<<<Set::blocks((entries + kDealt - 1) / kDealt), 256>>>(d_begins, d_columns, s.in,
                                                                            s.other, s.out, rows, entries);
      },
      [&] { return floats(s, rows, by_rows); });
  for (void* each :
       {static_cast<void*>(d_begins), static_cast<void*>(d_columns), static_cast<void*>(d_slices),
        static_cast<void*>(d_slice_columns), static_cast<void*>(d_slice_values)})
    cudaFree(each);
}

}  // namespace held_out_7

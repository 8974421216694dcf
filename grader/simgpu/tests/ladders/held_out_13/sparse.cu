/// @file
/// Sparse rows, few of them long, that warps take from a counter.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kLongRow = 64, kLeastOfLong = 500, kMostOfShort = 24, kRowsTaken = 4, kTakers = 128;
/// One row in 64 is long.
unsigned length_of_row(std::size_t row) {
  const unsigned word = word_of(row + 5);
  return word % kLongRow == 0 ? kLeastOfLong + (word >> 8) % kLeastOfLong : 1 + (word >> 8) % kMostOfShort;
}
__host__ __device__ __forceinline__ unsigned column_of(std::size_t entry, unsigned rows) {
  return place_of(word_of(entry + 19), rows);
}
__global__ void set_columns(unsigned* columns, unsigned rows, unsigned m) {
  const unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < m) columns[k] = column_of(k, rows);
}
/// The grid stays; a warp takes four rows whenever it is done with those before.
__global__ void __launch_bounds__(kTakers)
    rows_from_counter(const unsigned* firsts, const unsigned* columns, const float* values, const float* x,
                      float* y, unsigned* counter, unsigned rows) {
  const unsigned lane = threadIdx.x % 32;
  for (;;) {
    unsigned first = 0;
    if (lane == 0) first = atomicAdd(counter, kRowsTaken);
    first = __shfl_sync(~0u, first, 0);
    if (first >= rows) return;
    for (unsigned row = first; row < min(first + kRowsTaken, rows); ++row) {
      const unsigned end = firsts[row + 1];
      float sum = 0.0f;
      for (unsigned k = firsts[row] + lane; k < end; k += 32) sum += values[k] * x[columns[k]];
      for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
      if (lane == 0) y[row] = sum;
    }
  }
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 512);
  std::vector<unsigned> firsts(rows + 1);
  for (std::size_t row = 0; row < rows; ++row) firsts[row + 1] = firsts[row] + length_of_row(row);
  const unsigned entries = firsts[rows];
  auto *d_firsts = kept(firsts), *columns = room<unsigned>(entries), *counter = room<unsigned>(1);
  set_columns<<<Set::blocks(entries), 256>>>(columns, rows, entries);
  ladder::check(cudaDeviceSynchronize(), "columns");
  s.run(
      "sparse rows of which few are long, taken by warps from a counter", 8.0 * entries + 12.0 * rows,
      [&] {
        cudaMemsetAsync(counter, 0, sizeof(unsigned));
        rows_from_counter<<<s.sms * 12, kTakers>>>(d_firsts, columns, s.in, s.other, s.out, counter, rows);
      },
      [&] {
        return floats(s, rows, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = firsts[row]; k < firsts[row + 1]; ++k)
            sum += double{float_of(k)} * other_of(column_of(k, rows));
          return sum;
        });
      });
  cudaFree(d_firsts), cudaFree(columns), cudaFree(counter);
}

}  // namespace held_out_13

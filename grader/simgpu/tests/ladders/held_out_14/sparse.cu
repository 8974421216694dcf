/// @file
/// A sparse matrix that lies by columns, each strewn over the result by a thread.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kFewestOfColumn = 3, kMoreOfColumn = 8;
inline unsigned entries_of_column(std::size_t column) {
  return kFewestOfColumn + word_of(column + 31) % kMoreOfColumn;
}
/// An entry's row is where its word points; its value is the float beside that word.
__global__ void __launch_bounds__(128)
    strew_columns(const unsigned* starts, const unsigned* words, const float* values, const float* vector,
                  float* out, unsigned m) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= m) return;
  const float v = vector[column];
  const unsigned end = starts[column + 1];
  for (unsigned k = starts[column]; k < end; ++k) atomicAdd(out + place_of(words[k], m), v * values[k]);
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned columns = as_number(n / 64);
  std::vector<unsigned> starts(columns + std::size_t{1});
  for (unsigned c = 0; c < columns; ++c) starts[c + 1] = starts[c] + entries_of_column(c);
  const unsigned entries = starts[columns];
  unsigned* of_columns = kept(starts);
  s.run(
      "columns of a sparse matrix strewn by float atomics, a thread each", 12.0 * columns + 8.0 * entries,
      [&] {
        // The launches add to one another.
        cudaMemsetAsync(s.out, 0, columns * sizeof(float));
        strew_columns<<<Set::blocks(columns, 128), 128>>>(of_columns, s.words, s.in, s.other, s.out, columns);
      },
      [&] {
        std::vector<double> want(columns);
        for (unsigned c = 0; c < columns; ++c)
          for (unsigned k = starts[c]; k < starts[c + 1]; ++k)
            want[place_of(word_of(k), columns)] += double{other_of(c)} * float_of(k);
        return floats(s, columns, [&](std::size_t i) { return want[i]; });
      });
  cudaFree(of_columns);
}

}  // namespace held_out_14

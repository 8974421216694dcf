/// @file
/// Sparse rows, edges of graphs, lists of neighbours.
#include "blind.hpp"

namespace blind {
namespace {

__host__ __device__ __forceinline__ std::size_t begin_of(std::size_t row, unsigned word) {
  return 16 * row + (word & 7);
}
/// Rows of 9 to 23 elements, by eight lanes each.
__global__ void rows_by_eight(const unsigned* begins, const unsigned* column, const float* value,
                              const float* x, float* y, std::size_t rows, unsigned columns) {
  const std::size_t row = global_index() / 8;
  if (row >= rows) return;
  const std::size_t end = begin_of(row + 1, begins[row + 1]);
  float sum = 0;
  for (std::size_t k = begin_of(row, begins[row]) + threadIdx.x % 8; k < end; k += 8)
    sum += value[k] * x[place_of(column[k], columns)];
  for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d, 8);
  if (threadIdx.x % 8 == 0) y[row] = sum;
}
/// Elements one by one, eleven of them a row.
__global__ void triplets(const unsigned* column, const float* value, const float* x, float* y, std::size_t m,
                         unsigned columns) {
  const std::size_t i = global_index();
  if (i >= m) return;
  atomicAdd(&y[i / 11], value[i] * x[place_of(column[i], columns)]);
}
/// How many of a vertex's eight neighbours lie on the level asked for.
__global__ void neighbours_on_level(const uint4* edges, const unsigned char* level, unsigned char* out,
                                    std::size_t vertices, unsigned size) {
  const std::size_t v = global_index();
  if (v >= vertices) return;
  const uint4 a = edges[2 * v], b = edges[2 * v + 1];
  const unsigned to[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  unsigned count = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) count += (level[place_of(to[k], size)] & 7) == 3;
  out[v] = static_cast<unsigned char>(count);
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n, rows = n / 64;
  const unsigned columns = s.table / 4;
  s.run(
      "sparse rows by eight lanes", static_cast<double>(rows) * (16 * 8 + 8),
      [&] {
        rows_by_eight<<<Set::blocks(rows * 8), 256>>>(s.words, s.words + n / 2, s.in, s.other, s.out, rows,
                                                      columns);
      },
      [&] {
        return Set::each(rows, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = begin_of(row, word_of(row)); k < begin_of(row + 1, word_of(row + 1)); ++k)
            sum += double{float_of(k)} * other_of(place_of(word_of(n / 2 + k), columns));
          return Set::near(s.value(row), sum);
        });
      });
  s.run(
      "triplets added by atomics", 8.0 * static_cast<double>(n / 32),
      [&] { triplets<<<Set::blocks(n / 32), 256>>>(s.words, s.in, s.other, s.out, n / 32, columns); },
      [&] {
        return Set::each(n / 32 / 11, [&](std::size_t row) {
          double sum = 0;
          for (std::size_t k = row * 11; k < row * 11 + 11; ++k)
            sum += double{float_of(k)} * other_of(place_of(word_of(k), columns));
          return Set::near(s.value(row), sum);
        });
      });
  s.run(
      "levels of neighbours", 41.0 * static_cast<double>(n / 16),
      [&] {
        neighbours_on_level<<<Set::blocks(n / 16), 256>>>(
            reinterpret_cast<uint4*>(s.words), reinterpret_cast<unsigned char*>(s.words),
            reinterpret_cast<unsigned char*>(s.out), n / 16, s.table);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t v) {
          unsigned count = 0;
          for (std::size_t k = 0; k < 8; ++k)
            count += (byte_of(place_of(word_of(8 * v + k), s.table)) & 7) == 3;
          return s.byte(v) == count;
        });
      });
}

}  // namespace blind

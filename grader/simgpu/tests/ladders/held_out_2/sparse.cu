/// @file
/// A sparse matrix by a vector, its rows kept one after the other: a thread a row, a warp a row; a step through a graph.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Row r has 1 to 32 entries and begins at 32 r; columns lie within an eighth of all behind the row.
__host__ __device__ __forceinline__ unsigned entries_of(std::size_t row) {
  return (word_of(row) & 31) + 1;
}
__host__ __device__ __forceinline__ std::size_t column_of(unsigned word, std::size_t row, std::size_t rows) {
  return (row + place_of(word, static_cast<unsigned>(rows / 8))) % rows;
}
__global__ void rows_by_threads(const unsigned* columns, const float* values, const float* x, float* y,
                                std::size_t rows) {
  const std::size_t r = global_index();
  if (r >= rows) return;
  float sum = 0;
  for (std::size_t k = 32 * r; k < 32 * r + entries_of(r); ++k)
    sum += values[k] * x[column_of(columns[k], r, rows)];
  y[r] = sum;
}
__global__ void rows_by_warps(const unsigned* columns, const float* values, const float* x, float* y,
                              std::size_t rows) {
  const std::size_t r = global_index() / 32;
  if (r >= rows) return;
  const std::size_t lane = threadIdx.x % 32, k = 32 * r + lane;
  float sum = lane < entries_of(r) ? values[k] * x[column_of(columns[k], r, rows)] : 0;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[r] = sum;
}
/// Nodes of the frontier (one of eight) mark neighbours that were not seen.
__global__ void step_through(const unsigned* edges, unsigned* seen, std::size_t nodes) {
  const std::size_t v = global_index();
  if (v >= nodes || v % 8 != 0) return;
  const unsigned count = entries_of(v) / 4;
  for (std::size_t k = 0; k < count; ++k) {
    const unsigned to = place_of(edges[v + k], static_cast<unsigned>(nodes));
    if (seen[to] == 0) seen[to] = 2;
  }
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n, rows = n / 256;
  const auto row = [&](std::size_t r) {
    double sum = 0;
    for (std::size_t k = 32 * r; k < 32 * r + entries_of(r); ++k)
      sum += double{float_of(k)} * other_of(column_of(word_of(k), r, rows));
    return sum;
  };
  const double moved = real(rows) * (16.5 * 12 + 4);
  s.run(
      "sparse rows, a thread each", moved,
      [&] { rows_by_threads<<<Set::blocks(rows), 256>>>(s.words, s.in, s.other, s.out, rows); },
      [&] { return floats(s, rows, row); });
  s.run(
      "sparse rows, a warp each", moved,
      [&] { rows_by_warps<<<Set::blocks(rows, 8), 256>>>(s.words, s.in, s.other, s.out, rows); },
      [&] { return floats(s, rows, row); });
  const std::size_t nodes = n / 16;
  s.run(
      "step through a graph", 8.0 * real(nodes / 8) * 3.6,
      [&] {
        cudaMemsetAsync(s.out, 0, nodes * 4);
        step_through<<<Set::blocks(nodes), 256>>>(s.words, s.numbers(), nodes);
      },
      [&] {
        std::vector<bool> seen(nodes);
        for (std::size_t v = 0; v < nodes; v += 8)
          for (std::size_t k = 0; k < entries_of(v) / 4; ++k)
            seen[place_of(word_of(v + k), static_cast<unsigned>(nodes))] = true;
        std::size_t marked = 0;
        for (std::size_t v = 0; v < nodes; v += 997) {
          if (s.number(v) != (seen[v] ? 2u : 0u)) return false;
          marked += seen[v];
        }
        return marked > 0;
      });
}

}  // namespace held_out_2

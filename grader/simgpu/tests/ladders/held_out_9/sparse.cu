/// @file
/// Sparse matrices and graphs: a sweep of Jacobi's way over rows whose entries lie near, least labels handed
/// along edges that lead anywhere, nodes that are greater than their neighbours.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr float kDiagonal = 64.0f;
/// A thread has a row; its entry on the diagonal is kept apart.
__global__ void __launch_bounds__(256)
    sweep_rows(const unsigned* begins, const unsigned* columns, const float* values, const float* side,
               const float* x, float* next, unsigned rows) {
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = side[row];
  const unsigned end = begins[row + 1];
  for (unsigned k = begins[row]; k < end; ++k) sum -= values[k] * x[columns[k]];
  next[row] = sum * (1.0f / kDiagonal);
}

/// Both ends of an edge get the lesser of what they have and what the other had.
__global__ void hand_labels_on(const uint2* edges, const unsigned* labels, unsigned* next, unsigned nodes,
                               unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 edge = edges[i];
  const unsigned a = ladder::place_of(edge.x, nodes), b = ladder::place_of(edge.y, nodes);
  const unsigned at_a = labels[a], at_b = labels[b];
  if (at_a < at_b)
    atomicMin(&next[b], at_a);
  else if (at_b < at_a)
    atomicMin(&next[a], at_b);
}

/// As independent nodes are chosen, or colours given: those with the greatest number around.
__global__ void choose_nodes(const unsigned* begins, const unsigned* neighbours, const unsigned* chances,
                             unsigned char* chosen, unsigned nodes) {
  const unsigned node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes) return;
  const unsigned mine = chances[node], end = begins[node + 1];
  bool greatest = true;
  for (unsigned k = begins[node]; k < end; ++k)
    if (chances[neighbours[k]] >= mine) {
      greatest = false;
      break;
    }
  chosen[node] = greatest ? 1 : 2;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 256);
  std::vector<unsigned> begins(rows + std::size_t{1});
  for (std::size_t r = 0; r < rows; ++r) begins[r + 1] = begins[r] + 4 + word_of(r + 23) % 8;
  std::vector<unsigned> columns(begins.back());
  constexpr unsigned kBand = 1000;
  for (unsigned r = 0; r < rows; ++r)
    for (unsigned k = begins[r]; k < begins[r + 1]; ++k)
      columns[k] = (r + rows + word_of(k + 81) % (2 * kBand + 1) - kBand) % rows;
  unsigned *d_begins = kept(begins), *d_columns = kept(columns);
  s.run(
      "a sweep of Jacobi's way over sparse rows", 8.0 * columns.size() + 16.0 * rows,
      [&] { sweep_rows<<<Set::blocks(rows), 256>>>(d_begins, d_columns, s.in, s.in, s.other, s.out, rows); },
      [&] {
        return within(s, rows, 1e-3, [&](std::size_t r) {
          double sum = float_of(r);
          for (std::size_t k = begins[r]; k < begins[r + 1]; ++k)
            sum -= double{float_of(k)} * other_of(columns[k]);
          return sum / kDiagonal;
        });
      });
  cudaFree(d_begins), cudaFree(d_columns);

  const unsigned nodes = as_number(n / 256), edges = as_number(n / 64);
  const unsigned* ends = s.words + n / 2;
  s.run(
      "least labels handed along edges", 8.0 * edges + 12.0 * nodes,
      [&] {
        cudaMemcpyAsync(s.out, s.words, nodes * std::size_t{4}, cudaMemcpyDeviceToDevice);
        hand_labels_on<<<Set::blocks(edges), 256>>>(reinterpret_cast<const uint2*>(ends), s.words,
                                                    s.numbers(), nodes, edges);
      },
      [&] {
        std::vector<unsigned> want(nodes);
        for (std::size_t k = 0; k < nodes; ++k) want[k] = word_of(k);
        for (std::size_t i = 0; i < edges; ++i) {
          const unsigned a = place_of(word_of(n / 2 + 2 * i), nodes),
                         b = place_of(word_of(n / 2 + 2 * i + 1), nodes);
          want[a] = std::min(want[a], word_of(b));
          want[b] = std::min(want[b], word_of(a));
        }
        return taken(s.numbers(), nodes) == want;
      });

  const unsigned choosing = as_number(n / 128);
  std::vector<unsigned> firsts(choosing + std::size_t{1});
  for (std::size_t r = 0; r < choosing; ++r) firsts[r + 1] = firsts[r] + word_of(r + 57) % 10;
  std::vector<unsigned> neighbours(firsts.back());
  for (std::size_t k = 0; k < neighbours.size(); ++k) neighbours[k] = place_of(word_of(k + 99), choosing);
  unsigned *d_firsts = kept(firsts), *d_neighbours = kept(neighbours);
  auto* chosen = reinterpret_cast<unsigned char*>(s.out);
  s.run(
      "nodes greater than all their neighbours", 8.0 * neighbours.size() + 9.0 * choosing,
      [&] {
        choose_nodes<<<Set::blocks(choosing), 256>>>(d_firsts, d_neighbours, s.words, chosen, choosing);
      },
      [&] {
        const auto got = taken(chosen, choosing);
        for (std::size_t r = 0; r < choosing; ++r) {
          bool greatest = true;
          for (std::size_t k = firsts[r]; k < firsts[r + 1]; ++k)
            greatest = greatest && word_of(neighbours[k]) < word_of(r);
          if (got[r] != (greatest ? 1 : 2)) return false;
        }
        return true;
      });
  cudaFree(d_firsts), cudaFree(d_neighbours);
}

}  // namespace held_out_9

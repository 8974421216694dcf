/// @file
/// Graphs and sparse rows: rows padded to sixteen and kept by columns, neighbours of a queue taken to the next, ways that grow shorter.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

constexpr unsigned kEntries = 16;

/// Entry k of row r lies at k * rows + r; its column is within 2048 of the row.
__host__ __device__ __forceinline__ std::size_t column_of(unsigned word, std::size_t row, std::size_t rows) {
  return (row + (word & 2047)) % rows;
}
__global__ void padded_rows(const unsigned* columns, const float* values, const float* x, float* y,
                            unsigned rows) {
  const unsigned r = static_cast<unsigned>(global_index());
  if (r >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (unsigned k = 0; k < kEntries; ++k) {
    const std::size_t at = k * std::size_t{rows} + r;
    const unsigned to = r + (columns[at] & 2047);
    sum += values[at] * x[to < rows ? to : to - rows];
  }
  y[r] = sum;
}
/// @p state of a node: when it was reached. A thread has a node of the queue, and eight edges.
__global__ void next_queue(const unsigned* edges, const unsigned* queue, unsigned* state, unsigned* next,
                           unsigned* length, unsigned nodes, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const std::size_t node = queue[i];
#pragma unroll 2
  for (unsigned k = 0; k < 8; ++k) {
    const unsigned to = place_of(edges[node * 8 + k], nodes);
    if (state[to] == 0 && atomicCAS(&state[to], 0u, 2u) == 0) next[atomicAdd(length, 1u)] = to;
  }
}
__global__ void begin_far(unsigned* way, std::size_t nodes) {
  const std::size_t i = global_index();
  if (i < nodes) way[i] = 1000000;
}
__global__ void relax(const unsigned* edges, const unsigned* from, unsigned* to, unsigned nodes,
                      std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w = edges[i], u = static_cast<unsigned>(i / 4), length = w & 1023;
  const unsigned through = (from[u] >> 12) + length;
  const unsigned v = place_of(w, nodes);
  if (through < to[v]) atomicMin(&to[v], through);
}

}  // namespace

void graphs(Set& s) {
  const std::size_t n = s.n, rows = n / 256;
  s.run(
      "rows of sixteen kept by columns", real(rows) * (16 * 12 + 4),
      [&] { padded_rows<<<Set::blocks(rows, 128), 128>>>(s.words, s.in, s.other, s.out, as_number(rows)); },
      [&] {
        return floats(s, rows, [&](std::size_t r) {
          double sum = 0;
          for (std::size_t k = 0; k < kEntries; ++k)
            sum += double{float_of(k * rows + r)} * other_of(column_of(word_of(k * rows + r), r, rows));
          return sum;
        });
      });
  const std::size_t nodes = n / 128, queued = nodes / 4;
  std::vector<unsigned> queue(queued), reached(nodes);
  for (std::size_t k = 0; k < queued; ++k)
    queue[k] = as_number(k * 4 + (word_of(k) & 3)), reached[queue[k]] = 1;
  unsigned *first = kept(queue), *states = kept(reached);
  unsigned *state = s.numbers(), *next = state + n / 4, *length = state + n / 2;
  s.run(
      "neighbours of a queue to the next", real(queued) * 8 * 16,
      [&] {
        cudaMemcpyAsync(state, states, nodes * 4, cudaMemcpyDeviceToDevice);
        cudaMemsetAsync(length, 0, 4);
        next_queue<<<Set::blocks(queued), 256>>>(s.words, first, state, next, length, as_number(nodes),
                                                 queued);
      },
      [&] {
        std::vector<unsigned> want = reached, found;
        for (const unsigned node : queue)
          for (std::size_t k = 0; k < 8; ++k) {
            const unsigned to = place_of(word_of(node * std::size_t{8} + k), as_number(nodes));
            if (want[to] == 0) want[to] = 2, found.push_back(to);
          }
        std::vector<unsigned> got = taken(next, found.size());
        std::sort(got.begin(), got.end()), std::sort(found.begin(), found.end());
        return s.number(n / 2) == found.size() && got == found && taken(state, nodes) == want;
      });
  const std::size_t edges = n / 64, places = n / 256;
  s.run(
      "ways made shorter by atomics", 16.0 * real(edges),
      [&] {
        begin_far<<<Set::blocks(places), 256>>>(s.numbers(), places);
        relax<<<Set::blocks(edges), 256>>>(s.words, s.words + n / 2, s.numbers(), as_number(places), edges);
      },
      [&] {
        std::vector<unsigned> way(places, 1000000);
        for (std::size_t i = 0; i < edges; ++i) {
          unsigned& to = way[place_of(word_of(i), as_number(places))];
          to = std::min(to, (word_of(n / 2 + i / 4) >> 12) + (word_of(i) & 1023));
        }
        return taken(s.numbers(), places) == way;
      });
  cudaFree(first), cudaFree(states);
}

}  // namespace held_out_3

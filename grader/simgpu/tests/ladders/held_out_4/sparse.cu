/// @file
/// Sparse rows and graphs: blocks of 4 x 4, the rank of pages, parents looked for from below.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kBlocks = 8;

/// Half a warp has a row of eight blocks; a lane has an element of each.
__global__ void rows_of_blocks(const unsigned* columns, const float* values, const float* x, float* y,
                               unsigned rows) {
  const unsigned row = static_cast<unsigned>(global_index() / 16), lane = threadIdx.x % 16;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (unsigned k = 0; k < kBlocks; ++k) {
    const std::size_t at = row * std::size_t{kBlocks} + k;
    const unsigned column = place_of(columns[at], rows);
    sum += values[at * 16 + lane] * x[column * 4 + lane % 4];
  }
  sum += __shfl_xor_sync(~0u, sum, 1);
  sum += __shfl_xor_sync(~0u, sum, 2);
  if (lane % 4 == 0) y[row * 4 + lane / 4] = sum;
}
__host__ __device__ __forceinline__ unsigned leaving(unsigned word) {
  return 1 + (word & 7);
}
/// Eight pages point to each.
__global__ void rank_of_pages(const uint4* links, const unsigned* ways, const float* rank, float* next,
                              unsigned pages) {
  const unsigned v = static_cast<unsigned>(global_index());
  if (v >= pages) return;
  const uint4 a = links[2 * v], b = links[2 * v + 1];
  const unsigned from[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
  float sum = 0;
#pragma unroll
  for (const unsigned word : from) {
    const unsigned u = place_of(word, pages);
    sum += rank[u] / static_cast<float>(leaving(ways[u]));
  }
  next[v] = 0.15f + 0.85f * sum;
}
/// Who has not been reached looks for one among sixteen that has; it stops at the first.
__global__ void look_for_parents(const unsigned* edges, const unsigned* reached, unsigned* parent,
                                 unsigned nodes) {
  const unsigned v = static_cast<unsigned>(global_index());
  if (v >= nodes) return;
  if ((reached[v / 32] >> v % 32 & 1) != 0) {
    parent[v] = v + 1;
    return;
  }
  unsigned found = ~0u;
  for (unsigned k = 0; k < 16; ++k) {
    const unsigned u = place_of(edges[v * 16 + k], nodes);
    if ((reached[u / 32] >> u % 32 & 1) != 0) {
      found = u + 1;
      break;
    }
  }
  parent[v] = found;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  const unsigned rows = as_number(n / 2048);
  s.run(
      "sparse rows of blocks of 4 x 4", (4.0 * kBlocks * 17 + 16) * rows,
      [&] { rows_of_blocks<<<Set::blocks(rows, 16), 256>>>(s.words, s.in, s.other, s.out, rows); },
      [&] {
        return floats(s, 4 * std::size_t{rows}, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kBlocks; ++k) {
            const std::size_t at = i / 4 * kBlocks + k;
            for (std::size_t j = 0; j < 4; ++j)
              sum +=
                  double{float_of(at * 16 + i % 4 * 4 + j)} * other_of(place_of(word_of(at), rows) * 4 + j);
          }
          return sum;
        });
      });
  const unsigned pages = as_number(n / 256);
  s.run(
      "rank of pages with eight links", 44.0 * pages,
      [&] {
        rank_of_pages<<<Set::blocks(pages), 256>>>(reinterpret_cast<uint4*>(s.words), s.words, s.in, s.out,
                                                   pages);
      },
      [&] {
        return floats(s, pages, [&](std::size_t v) {
          double sum = 0;
          for (std::size_t k = 0; k < 8; ++k) {
            const unsigned u = place_of(word_of(8 * v + k), pages);
            sum += double{float_of(u)} / leaving(word_of(u));
          }
          return 0.15 + 0.85 * sum;
        });
      });
  const unsigned nodes = as_number(n / 512);
  std::vector<unsigned> bits(nodes / 32 + 1);
  for (std::size_t k = 0; k < bits.size(); ++k) bits[k] = word_of(3 * k + 1) & word_of(5 * k + 2);
  unsigned* reached = kept(bits);
  const auto is = [&](unsigned v) { return (bits[v / 32] >> v % 32 & 1) != 0; };
  s.run(
      "parents looked for from below", 24.0 * nodes,
      [&] { look_for_parents<<<Set::blocks(nodes), 256>>>(s.words, reached, s.numbers(), nodes); },
      [&] {
        return numbers(s, nodes, [&](std::size_t v) {
          if (is(as_number(v))) return as_number(v) + 1;
          for (std::size_t k = 0; k < 16; ++k) {
            const unsigned u = place_of(word_of(v * 16 + k), nodes);
            if (is(u)) return u + 1;
          }
          return ~0u;
        });
      });
  cudaFree(reached);
}

}  // namespace held_out_4

/// @file
/// Sparse structures: neighbours that the ends of a graph's edges have in common, a matrix whose columns are told
/// by steps of a byte.
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kFewestNeighbours = 4, kMoreNeighbours = 13, kFarthestStep = 6;
/// Edges lead upwards; a node's list rises.
struct Graph {
  std::vector<unsigned> starts, sources, targets;

  /// @param nodes whose edges are looked at. The nodes that they lead to have lists too.
  explicit Graph(unsigned nodes) {
    constexpr unsigned kFarthest = (kFewestNeighbours + kMoreNeighbours - 1) * kFarthestStep;
    const unsigned all = nodes + kFarthest;
    starts.push_back(0);
    for (unsigned v = 0; v < all; ++v) {
      unsigned at = v;
      const unsigned count = kFewestNeighbours + word_of(v + 3) % kMoreNeighbours;
      for (unsigned k = 0; k < count; ++k) {
        at += 1 + word_of(targets.size() + 17) % kFarthestStep;
        targets.push_back(at);
        if (v < nodes) sources.push_back(v);
      }
      starts.push_back(static_cast<unsigned>(targets.size()));
    }
  }
};
__host__ __device__ __forceinline__ unsigned in_common(const unsigned* a, const unsigned* end_of_a,
                                                       const unsigned* b, const unsigned* end_of_b) {
  unsigned count = 0;
  while (a < end_of_a && b < end_of_b) {
    const unsigned u = *a, v = *b;
    count += u == v;
    a += u <= v;
    b += v <= u;
  }
  return count;
}
__global__ void __launch_bounds__(256)
    common_neighbours(const unsigned* starts, const unsigned* sources, const unsigned* targets, unsigned* out,
                      unsigned edges) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= edges) return;
  const unsigned u = sources[i], v = targets[i];
  out[i] = 1 + in_common(targets + starts[u], targets + starts[u + 1], targets + starts[v],
                         targets + starts[v + 1]);
}

constexpr unsigned kToldRow = 64, kToldSpan = kToldRow * 256;
/// A lane has two entries; lanes before it tell where they begin.
__global__ void __launch_bounds__(128)
    rows_told_by_steps(const unsigned* firsts, const uchar2* steps, const float2* values, const float* vector,
                       float* out, unsigned columns, unsigned rows) {
  const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  const std::size_t at = std::size_t{row} * (kToldRow / 2) + lane;
  const uchar2 step = steps[at];
  unsigned column = unsigned{step.x} + step.y;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, column, d);
    if (lane >= d) column += before;
  }
  column += place_of(firsts[row], columns - kToldSpan);
  const float2 value = values[at];
  float sum = value.x * vector[column - step.y] + value.y * vector[column];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) out[row] = sum;
}

}  // namespace

void sparse(Set& s) {
  const std::size_t n = s.n;
  {
    const Graph graph(as_number(n / 256));
    unsigned *starts = kept(graph.starts), *sources = kept(graph.sources), *targets = kept(graph.targets);
    const unsigned edges = as_number(graph.sources.size());
    s.run(
        "neighbours in common of an edge's ends by merging their lists", 12.0 * edges,
        [&] { common_neighbours<<<Set::blocks(edges), 256>>>(starts, sources, targets, s.numbers(), edges); },
        [&] {
          return numbers(s, edges, [&](std::size_t i) {
            const auto list = [&](unsigned v) { return graph.targets.data() + graph.starts[v]; };
            const unsigned u = graph.sources[i], v = graph.targets[i];
            return 1 + in_common(list(u), list(u + 1), list(v), list(v + 1));
          });
        });
    cudaFree(starts), cudaFree(sources), cudaFree(targets);
  }

  const unsigned rows = as_number(n / 512), columns = as_number(n / 32);
  s.run(
      "sparse rows of 64 whose columns are told by steps of a byte, a warp a row",
      (5.0 * kToldRow + 8.0) * rows,
      [&] {
        rows_told_by_steps<<<Set::blocks(std::size_t{rows} * 32, 128), 128>>>(
            s.words + n / 2, reinterpret_cast<const uchar2*>(s.words), reinterpret_cast<const float2*>(s.in),
            s.other, s.out, columns, rows);
      },
      [&] {
        return floats(s, rows, [&](std::size_t row) {
          std::size_t column = place_of(word_of(n / 2 + row), columns - kToldSpan);
          double sum = 0;
          for (std::size_t k = row * kToldRow; k < (row + 1) * kToldRow; ++k) {
            column += byte_of(k);
            sum += double{float_of(k)} * other_of(column);
          }
          return sum;
        });
      });
}

}  // namespace held_out_16

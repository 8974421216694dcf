/// @file
/// Dynamic programming: alignments by diagonals in shared memory, a knapsack a launch a thing, shortest
/// ways in graphs of 64 nodes.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kLength = 128;

/// Smith and Waterman's greatest value: a block has two texts of 128, three diagonals are kept.
__global__ void __launch_bounds__(kLength) align(const unsigned* a, const unsigned* b, unsigned* out) {
  __shared__ int diagonals[3][kLength + 1];
  __shared__ unsigned char text[kLength];
  const int t = static_cast<int>(threadIdx.x);
  const std::size_t first = blockIdx.x * std::size_t{kLength};
  text[t] = static_cast<unsigned char>(a[first + t] & 3);
  const unsigned mine = b[first + t] & 3;
  for (auto& d : diagonals) d[t + 1] = 0;
  if (t == 0)
    for (auto& d : diagonals) d[0] = 0;
  int best = 0;
  for (int step = 0; step < 2 * kLength - 1; ++step) {
    __syncthreads();
    const int row = step - t;
    int v = 0;
    const int *last = diagonals[(step + 2) % 3], *before = diagonals[(step + 1) % 3];
    if (row >= 0 && row < kLength) {
      v = max(0, (row > 0 ? before[t] : 0) + (text[row] == mine ? 3 : -2));
      v = max(v, max(last[t] - 1, row > 0 ? last[t + 1] - 1 : 0));
      best = max(best, v);
    }
    diagonals[step % 3][t + 1] = v;
  }
  best = __reduce_max_sync(~0u, best);
  __shared__ int part[4];
  if (t % 32 == 0) part[t / 32] = best;
  __syncthreads();
  if (t == 0) out[blockIdx.x] = static_cast<unsigned>(max(max(part[0], part[1]), max(part[2], part[3])));
}
unsigned alignment(std::size_t block) {
  std::vector<int> last(kLength + 1), now(kLength + 1);
  int best = 0;
  for (std::size_t row = 0; row < kLength; ++row, last.swap(now))
    for (std::size_t k = 1; k <= kLength; ++k) {
      const bool same = (word_of(block * kLength + row) & 3) == (word_of(block * kLength + k - 1 + 77) & 3);
      now[k] = std::max({0, last[k - 1] + (same ? 3 : -2), last[k] - 1, now[k - 1] - 1});
      best = std::max(best, now[k]);
    }
  return static_cast<unsigned>(best);
}
/// One thing may be put in or left out: as much worth as each weight allows.
__global__ void knapsack_row(const unsigned* in, unsigned* out, unsigned weight, unsigned worth, unsigned m) {
  const unsigned w = static_cast<unsigned>(global_index());
  if (w >= m) return;
  const unsigned without = in[w];
  out[w] = w < weight ? without : max(without, in[w - weight] + worth);
}
constexpr int kTablesNodes = 64;
/// Floyd and Warshall's: a block has a graph.
__global__ void __launch_bounds__(512) all_ways(const unsigned* in, unsigned* out) {
  __shared__ unsigned ways[kTablesNodes][kTablesNodes];
  const std::size_t first = blockIdx.x * std::size_t{kTablesNodes * kTablesNodes};
  const int x = static_cast<int>(threadIdx.x % kTablesNodes),
            y0 = static_cast<int>(threadIdx.x / kTablesNodes);
  for (int y = y0; y < kTablesNodes; y += 8) ways[y][x] = x == y ? 0 : in[first + y * kTablesNodes + x] >> 12;
  for (int k = 0; k < kTablesNodes; ++k) {
    __syncthreads();
    const unsigned right = ways[k][x];
    for (int y = y0; y < kTablesNodes; y += 8) {
      const unsigned through = ways[y][k] + right;
      if (through < ways[y][x]) ways[y][x] = through;
    }
  }
  __syncthreads();
  for (int y = y0; y < kTablesNodes; y += 8) out[first + y * kTablesNodes + x] = ways[y][x];
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  const unsigned texts = s.sms * 16;
  s.run(
      "texts of 128 aligned, a block each", 8.0 * kLength * texts,
      [&] { align<<<texts, kLength>>>(s.words, s.words + 77, s.numbers()); },
      [&] { return numbers(s, texts, alignment); });
  const unsigned weights = as_number(n / 64);
  unsigned* rows[2] = {room<unsigned>(weights), s.numbers()};
  constexpr unsigned kThings = 10;
  s.run(
      "knapsack of ten things, a launch each", 12.0 * kThings * weights,
      [&] {
        cudaMemsetAsync(rows[0], 0, weights * std::size_t{4});
        for (unsigned k = 0; k < kThings; ++k)
          knapsack_row<<<Set::blocks(weights), 256>>>(rows[k % 2], rows[1 - k % 2], word_of(k) % 3000,
                                                      word_of(k) >> 20, weights);
        cudaMemcpyAsync(s.out, rows[kThings % 2], weights * std::size_t{4}, cudaMemcpyDeviceToDevice);
      },
      [&] {
        const unsigned end = std::min(weights, 40000u);
        std::vector<unsigned> best(end);
        for (unsigned k = 0; k < kThings; ++k)
          for (unsigned w = end; w-- > word_of(k) % 3000;)
            best[w] = std::max(best[w], best[w - word_of(k) % 3000] + (word_of(k) >> 20));
        return taken(s.numbers(), end) == best;
      });
  cudaFree(rows[0]);
  const unsigned graphs = s.sms * 8;
  s.run(
      "shortest ways in graphs of 64, a block each", 8.0 * kTablesNodes * kTablesNodes * graphs,
      [&] { all_ways<<<graphs, 512>>>(s.words, s.numbers()); },
      [&] {
        for (std::size_t g : {std::size_t{0}, std::size_t{graphs} / 2, graphs - std::size_t{1}}) {
          std::vector<unsigned> ways(kTablesNodes * kTablesNodes);
          for (std::size_t i = 0; i < ways.size(); ++i)
            ways[i] = i / kTablesNodes == i % kTablesNodes ? 0 : word_of(g * ways.size() + i) >> 12;
          for (std::size_t k = 0; k < kTablesNodes; ++k)
            for (std::size_t i = 0; i < ways.size(); ++i)
              ways[i] = std::min(ways[i], ways[i / kTablesNodes * kTablesNodes + k] +
                                              ways[k * kTablesNodes + i % kTablesNodes]);
          if (taken(s.numbers() + g * ways.size(), ways.size()) != ways) return false;
        }
        return true;
      });
}

}  // namespace held_out_6

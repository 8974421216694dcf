/// @file
/// Shared memory of the blocks beside: edges, exchange, a table for eight blocks, a chain around.
#include <cooperative_groups.h>

#include "blind.hpp"

namespace blind {
namespace {

namespace cg = cooperative_groups;

/// Sums of nine along a ring of four blocks' lines; what lies beyond a block's line its neighbour has.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    nine_around_a_cluster(const float* in, float* out) {
  __shared__ float line[1024];
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned k = threadIdx.x; k < 1024; k += 256) line[k] = in[base + k];
  cluster.sync();
  const float* next = cluster.map_shared_rank(line, (cluster.block_rank() + 1) % 4);
  for (unsigned k = threadIdx.x; k < 1024; k += 256) {
    float sum = 0;
#pragma unroll
    for (unsigned d = 0; d < 9; ++d) sum += k + d < 1024 ? line[k + d] : next[k + d - 1024];
    out[base + k] = sum;
  }
  cluster.sync();
}
/// Each of eight blocks takes an eighth of what each of the others has.
__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    exchange_among_eight(const float* in, float* out) {
  __shared__ float mine[8][256];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const std::size_t base = blockIdx.x * std::size_t{2048} + threadIdx.x;
#pragma unroll
  for (unsigned k = 0; k < 8; ++k) mine[k][threadIdx.x] = in[base + k * 256];
  cluster.sync();
#pragma unroll
  for (unsigned k = 0; k < 8; ++k)
    out[base + k * 256] = cluster.map_shared_rank(&mine[0][0], k)[rank * 256 + threadIdx.x];
  cluster.sync();
}
/// The first of eight blocks keeps a table of 16 kB, and all look up in it.
__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    table_of_the_first(const unsigned* index, const float* from, float* out, std::size_t m) {
  __shared__ float table[4096];
  const cg::cluster_group cluster = cg::this_cluster();
  if (cluster.block_rank() == 0)
    for (unsigned k = threadIdx.x; k < 4096; k += 256) table[k] = from[k];
  cluster.sync();
  const float* first = cluster.map_shared_rank(table, 0);
  for (std::size_t i = global_index(); i < m; i += stride()) out[i] = first[index[i] >> 20];
  cluster.sync();
}
/// A chain whose links lie in four blocks: how long one answer of another block takes.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(32)
    links_around(const unsigned* in, unsigned* out, int steps) {
  __shared__ unsigned links[1024];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (unsigned k = threadIdx.x; k < 1024; k += 32) links[k] = in[rank * 1024 + k] >> 20;
  cluster.sync();
  unsigned at = threadIdx.x * 128;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = cluster.map_shared_rank(links, at >> 10)[at & 1023];
  out[global_index()] = at;
  cluster.sync();
}

}  // namespace

void clusters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "nine around a cluster", 2 * s.one,
      [&] { nine_around_a_cluster<<<static_cast<unsigned>(n / 1024), 256>>>(s.in, s.out); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t d = 0; d < 9; ++d) sum += float_of(i / 4096 * 4096 + (i % 4096 + d) % 4096);
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "exchange among eight blocks", 2 * s.one,
      [&] { exchange_among_eight<<<static_cast<unsigned>(n / 2048), 256>>>(s.in, s.out); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          const std::size_t k = i % 16384, rank = k / 2048, part = k / 256 % 8;
          return s.value(i) == float_of(i / 16384 * 16384 + part * 2048 + rank * 256 + k % 256);
        });
      });
  s.run(
      "table of a cluster's first block", s.one / 2,
      [&] { table_of_the_first<<<s.sms * 8, 256>>>(s.words, s.in, s.out, n / 4); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) { return s.value(i) == float_of(word_of(i) >> 20); });
      });
  s.run(
      "links around a cluster, a warp a block", 4.0 * 32 * s.sms * 4 * 512,
      [&] { links_around<<<s.sms * 4, 32>>>(s.words, s.numbers(), 512); },
      [&] {
        return Set::each(std::size_t{32} * s.sms * 4, [&](std::size_t i) {
          unsigned at = static_cast<unsigned>(i % 32) * 128;
          for (int k = 0; k < 512; ++k) at = word_of(at) >> 20;
          return s.number(i) == at;
        });
      });
}

}  // namespace blind

/// @file
/// Blocks that read and add to each other's shared memory: a sum, a histogram in parts, lines with edges.
#include <cooperative_groups.h>

#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

namespace cg = cooperative_groups;

/// A cluster's eight blocks add theirs to the first one's.
__global__ void __cluster_dims__(8, 1, 1) __launch_bounds__(256)
    sum_of_cluster(const float4* in, float* out) {
  __shared__ float sum;
  const cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  float mine = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float4 v = in[(blockIdx.x * std::size_t{4} + k) * 256 + threadIdx.x];
    mine += v.x + v.y + v.z + v.w;
  }
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0) atomicAdd(cluster.map_shared_rank(&sum, 0), mine);
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) out[blockIdx.x / 8] = sum;
}
/// 4096 classes, 1024 in each of four blocks.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    count_in_parts(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[1024];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned k = threadIdx.x; k < 1024; k += 256) mine[k] = 0;
  cluster.sync();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned c = in[i] >> 20;
    atomicAdd(cluster.map_shared_rank(mine, c >> 10) + (c & 1023), 1u);
  }
  cluster.sync();
  for (unsigned k = threadIdx.x; k < 1024; k += 256)
    atomicAdd(&counts[cluster.block_rank() * 1024 + k], mine[k]);
}
/// Two blocks smooth 2048 words together, eight times; what lies beyond the pair counts as nothing.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512)
    smooth_in_pairs(const float* in, float* out) {
  __shared__ float line[2][1024];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned k = threadIdx.x; k < 1024; k += 512) line[0][k] = in[base + k];
  for (int step = 0; step < 8; ++step) {
    cluster.sync();
    const float* from = line[step % 2];
    const float* others = cluster.map_shared_rank(from, 1 - rank);
    for (unsigned k = threadIdx.x; k < 1024; k += 512) {
      const float left = k > 0 ? from[k - 1] : rank == 1 ? others[1023] : 0;
      const float right = k < 1023 ? from[k + 1] : rank == 0 ? others[0] : 0;
      line[1 - step % 2][k] = 0.25f * (left + right) + 0.5f * from[k];
    }
  }
  cluster.sync();
  for (unsigned k = threadIdx.x; k < 1024; k += 512) out[base + k] = line[0][k];
}

}  // namespace

void clusters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "sums of clusters of eight", s.one,
      [&] {
        sum_of_cluster<<<static_cast<unsigned>(n / 4096), 256>>>(reinterpret_cast<float4*>(s.in), s.out);
      },
      [&] {
        return floats(s, n / 32768, [](std::size_t c) {
          double sum = 0;
          for (std::size_t k = 0; k < 32768; ++k) sum += float_of(c * 32768 + k);
          return sum;
        });
      });
  s.run(
      "4096 classes in clusters of four", s.one / 8,
      [&] { count_in_parts<<<s.sms * 4, 256>>>(s.words, s.numbers(), n / 8); },
      [&] {
        std::vector<unsigned> counts(4096);
        for (std::size_t i = 0; i < n / 8; ++i) ++counts[word_of(i) >> 20];
        return numbers(s, 4096, [&](std::size_t c) { return counts[c]; });
      });
  s.run(
      "lines smoothed by pairs of blocks", s.one / 8,
      [&] { smooth_in_pairs<<<static_cast<unsigned>(n / 16384), 512>>>(s.in, s.out); },
      [&] {
        return floats(s, n / 16, [](std::size_t i) {
          std::vector<double> a(2048), b(2048);
          for (std::size_t k = 0; k < 2048; ++k) a[k] = float_of(i / 2048 * 2048 + k);
          for (int step = 0; step < 8; ++step, std::swap(a, b))
            for (std::size_t k = 0; k < 2048; ++k)
              b[k] = 0.25 * ((k > 0 ? a[k - 1] : 0) + (k < 2047 ? a[k + 1] : 0)) + 0.5 * a[k];
          return a[i % 2048];
        });
      });
}

}  // namespace held_out_2

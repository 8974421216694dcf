/// @file
/// Blocks that read each other's shared memory: a table too large for one of them, tiles weighed by all of a
/// cluster.
#include <cooperative_groups.h>

#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kClustersPart = 8192, kParts = 8, kRounds = 8;
/// 256 kB of a table lie in eight blocks; each thread looks eight places up.
__global__ void __cluster_dims__(kParts, 1, 1) __launch_bounds__(512)
    look_up_in_cluster(const float* table, const unsigned* which, float* out) {
  extern __shared__ float part[];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (unsigned k = threadIdx.x; k < kClustersPart; k += 512) part[k] = table[rank * kClustersPart + k];
  cluster.sync();
  const std::size_t base = blockIdx.x * std::size_t{512 * kRounds} + threadIdx.x;
#pragma unroll 4
  for (unsigned k = 0; k < kRounds; ++k) {
    const unsigned at = which[base + k * 512] % (kClustersPart * kParts);
    out[base + k * 512] = cluster.map_shared_rank(part, at / kClustersPart)[at % kClustersPart];
  }
  cluster.sync();
}
constexpr unsigned kClustersTile = 1024;
/// Block r of four has the sum of (k + 1) times the tile of block (r + k) % 4.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    tiles_weighed(const float4* in, float4* out) {
  __shared__ float4 tile[kClustersTile / 4];
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t i = global_index();
  tile[threadIdx.x] = in[i];
  cluster.sync();
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const float4 v = cluster.map_shared_rank(tile, (cluster.block_rank() + k) % 4)[threadIdx.x];
    const auto by = static_cast<float>(k + 1);
    sum.x += by * v.x, sum.y += by * v.y, sum.z += by * v.z, sum.w += by * v.w;
  }
  out[i] = sum;
  cluster.sync();
}

}  // namespace

void clusters(Set& s) {
  const std::size_t each = std::size_t{512} * kRounds * kParts, many = s.n / 16 / each;
  s.run(
      "table of 256 kB looked up in a cluster", 8.0 * real(many * each),
      [&] { look_up_in_cluster<<<as_number(many * kParts), 512, kClustersPart * 4>>>(s.in, s.words, s.out); },
      [&] {
        return floats(s, many * each,
                      [](std::size_t i) { return double{float_of(word_of(i) % (kClustersPart * kParts))}; });
      });
  const std::size_t fours = s.n / 8 / (4 * kClustersTile);
  s.run(
      "tiles weighed by a cluster of four", 8.0 * 4 * kClustersTile * real(fours),
      [&] { tiles_weighed<<<as_number(fours * 4), 256>>>(reinterpret_cast<float4*>(s.in), s.vectors()); },
      [&] {
        return floats(s, fours * 4 * kClustersTile, [](std::size_t i) {
          const std::size_t base = i / (4 * kClustersTile) * (4 * kClustersTile),
                            rank = i / kClustersTile % 4;
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += real(k + 1) * float_of(base + (rank + k) % 4 * kClustersTile + i % kClustersTile);
          return sum;
        });
      });
}

}  // namespace held_out_5

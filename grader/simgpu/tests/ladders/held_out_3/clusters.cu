/// @file
/// Blocks that read each other's shared memory: running sums over four, lines of two crossed with each other.
#include <cooperative_groups.h>

#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

namespace cg = cooperative_groups;

/// 4096 words a cluster, 1024 a block.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256) scan_of_four(const uint4* in, uint4* out) {
  __shared__ unsigned of_warp[8], all;
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint4 v = in[global_index()];
  v.y += v.x, v.z += v.y, v.w += v.z;
  unsigned upto = v.w;
  for (unsigned d = 1; d < 32; d *= 2) {
    const unsigned before = __shfl_up_sync(~0u, upto, d);
    if (lane >= d) upto += before;
  }
  if (lane == 31) of_warp[warp] = upto;
  __syncthreads();
  unsigned base = upto - v.w;
  for (unsigned w = 0; w < warp; ++w) base += of_warp[w];
  if (threadIdx.x == 255) all = base + v.w;
  cluster.sync();
  for (unsigned r = 0; r < cluster.block_rank(); ++r) base += *cluster.map_shared_rank(&all, r);
  out[global_index()] = make_uint4(v.x + base, v.y + base, v.z + base, v.w + base);
  cluster.sync();
}
constexpr unsigned kClustersLine = 2048;
/// What each block reads eight times is the other's.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256) crossed(const float* in, float* out) {
  __shared__ float line[kClustersLine];
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t base = blockIdx.x * std::size_t{kClustersLine};
  for (unsigned k = threadIdx.x; k < kClustersLine; k += 256) line[k] = in[base + k];
  cluster.sync();
  const float* others = cluster.map_shared_rank(line, cluster.block_rank() ^ 1);
  for (unsigned k = threadIdx.x; k < kClustersLine; k += 256) {
    float sum = 0;
#pragma unroll
    for (unsigned r = 0; r < 8; ++r) sum = 0.5f * sum + others[(k + 32 * r) % kClustersLine];
    out[base + k] = sum * line[k];
  }
  cluster.sync();
}

}  // namespace

void clusters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "running sums over clusters of four", real(n),
      [&] {
        scan_of_four<<<as_number(n / 8 / 1024), 256>>>(reinterpret_cast<uint4*>(s.words),
                                                       reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        return numbers(s, n / 8, [](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / 4096 * 4096; k <= i; ++k) sum += word_of(k);
          return sum;
        });
      });
  s.run(
      "lines of two blocks crossed", 0.5 * real(n),
      [&] { crossed<<<as_number(n / 16 / kClustersLine), 256>>>(s.in, s.out); },
      [&] {
        return floats(s, n / 16, [](std::size_t i) {
          const std::size_t other = (i / kClustersLine ^ 1) * kClustersLine;
          double sum = 0;
          for (std::size_t r = 0; r < 8; ++r)
            sum = 0.5 * sum + float_of(other + (i + 32 * r) % kClustersLine);
          return sum * float_of(i);
        });
      });
}

}  // namespace held_out_3

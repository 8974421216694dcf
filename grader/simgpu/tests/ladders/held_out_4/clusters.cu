/// @file
/// Blocks that read each other's shared memory: heat handed on over their edges, rows of 8192 made to add up
/// to one by four.
#include <cooperative_groups.h>

#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kCells = 512, kClustersLine = 4 * kCells, kClustersSteps = 8;
/// A line of 2048 cells; its ends keep what they have.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(kCells) handed_on(const float* in, float* out) {
  __shared__ float cells[2][kCells];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned t = threadIdx.x, rank = cluster.block_rank();
  const std::size_t i = global_index();
  const bool fixed = (rank == 0 && t == 0) || (rank == 3 && t == kCells - 1);
  cells[0][t] = in[i];
  for (unsigned step = 0; step < kClustersSteps; ++step) {
    cluster.sync();
    const float* now = cells[step % 2];
    const float self = now[t];
    float next = self;
    if (!fixed) {
      const float left = t > 0 ? now[t - 1] : cluster.map_shared_rank(cells[step % 2], rank - 1)[kCells - 1],
                  right = t + 1 < kCells ? now[t + 1] : cluster.map_shared_rank(cells[step % 2], rank + 1)[0];
      next = 0.5f * self + 0.25f * (left + right);
    }
    cells[(step + 1) % 2][t] = next;
  }
  out[i] = cells[kClustersSteps % 2][t];
  cluster.sync();
}
constexpr unsigned kClustersRow = 8192;
/// Eight values a thread stay in registers.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    add_up_to_one(const float4* in, float4* out) {
  __shared__ float part[8], of_block[2];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned t = threadIdx.x;
  const std::size_t base = blockIdx.x * std::size_t{512};
  const float4 a = in[base + t], b = in[base + 256 + t];
  float v[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}, most = v[0];
#pragma unroll
  for (const float x : v) most = fmaxf(most, x);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  if (t % 32 == 0) part[t / 32] = most;
  __syncthreads();
  if (t == 0) {
    for (const float x : part) most = fmaxf(most, x);
    of_block[0] = most;
  }
  cluster.sync();
  for (unsigned r = 0; r < 4; ++r) most = fmaxf(most, cluster.map_shared_rank(of_block, r)[0]);
  float sum = 0;
#pragma unroll
  for (float& x : v) x = __expf(x - most), sum += x;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    sum = 0;
    for (const float x : part) sum += x;
    of_block[1] = sum;
  }
  cluster.sync();
  sum = 0;
  for (unsigned r = 0; r < 4; ++r) sum += cluster.map_shared_rank(of_block, r)[1];
  cluster.sync();
  const float scale = 1.0f / sum;
  out[base + t] = make_float4(v[0] * scale, v[1] * scale, v[2] * scale, v[3] * scale);
  out[base + 256 + t] = make_float4(v[4] * scale, v[5] * scale, v[6] * scale, v[7] * scale);
}

}  // namespace

void clusters(Set& s) {
  const std::size_t n = s.n, lines = n / 32 / kClustersLine;
  s.run(
      "heat handed on in clusters of four", 8.0 * kClustersLine * real(lines),
      [&] { handed_on<<<as_number(4 * lines), kCells>>>(s.in, s.out); },
      [&] {
        return floats(s, lines * kClustersLine, [](std::size_t i) {
          const std::size_t base = i / kClustersLine * kClustersLine;
          std::vector<double> now(kClustersLine), next;
          for (std::size_t k = 0; k < kClustersLine; ++k) now[k] = float_of(base + k);
          for (unsigned step = 0; step < kClustersSteps; ++step) {
            next = now;
            for (std::size_t k = 1; k + 1 < kClustersLine; ++k)
              next[k] = 0.5 * now[k] + 0.25 * (now[k - 1] + now[k + 1]);
            now.swap(next);
          }
          return now[i % kClustersLine];
        });
      });
  const std::size_t rows = n / 16 / kClustersRow;
  s.run(
      "rows of 8192 made to add up to one by four blocks", 8.0 * kClustersRow * real(rows),
      [&] { add_up_to_one<<<as_number(4 * rows), 256>>>(reinterpret_cast<float4*>(s.in), s.vectors()); },
      [&] {
        return Set::each(rows * kClustersRow, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / kClustersRow * kClustersRow;
               k < i / kClustersRow * kClustersRow + kClustersRow; ++k)
            sum += std::exp(double{float_of(k)});
          return s.value(i) > 0 && std::abs(s.value(i) * sum / std::exp(double{float_of(i)}) - 1) < 1e-3;
        });
      });
}

}  // namespace held_out_4

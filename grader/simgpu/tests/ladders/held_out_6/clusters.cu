/// @file
/// Clusters: a histogram whose classes lie in two blocks, rows normed that four blocks hold.
#include <cooperative_groups.h>

#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

namespace cg = cooperative_groups;

constexpr unsigned kHalf = 4096;

/// 8192 classes, half of them in each of two blocks.
__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512)
    classes_of_two_blocks(const unsigned* in, unsigned* counts, std::size_t m) {
  __shared__ unsigned mine[kHalf];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned k = threadIdx.x; k < kHalf; k += 512) mine[k] = 0;
  cluster.sync();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned c = in[i] >> 19;
    atomicAdd(cluster.map_shared_rank(mine, c / kHalf) + c % kHalf, 1u);
  }
  cluster.sync();
  for (unsigned k = threadIdx.x; k < kHalf; k += 512)
    if (mine[k] != 0) atomicAdd(&counts[cluster.block_rank() * kHalf + k], mine[k]);
}
constexpr unsigned kPart = 1024;
/// Rows of 4096, a quarter a block: less their mean, divided by their spread.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256)
    rows_of_four_blocks(const float4* in, float4* out) {
  __shared__ float2 part[8], whole;
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t i = global_index();
  const float4 v = in[i];
  float sum = v.x + v.y + v.z + v.w, squares = v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  for (int d = 16; d > 0; d /= 2)
    sum += __shfl_xor_sync(~0u, sum, d), squares += __shfl_xor_sync(~0u, squares, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float2(sum, squares);
  __syncthreads();
  if (threadIdx.x == 0) {
    whole = make_float2(0, 0);
    for (const float2& p : part) whole.x += p.x, whole.y += p.y;
  }
  cluster.sync();
  sum = squares = 0;
  for (unsigned r = 0; r < 4; ++r) {
    const float2 p = *cluster.map_shared_rank(&whole, r);
    sum += p.x, squares += p.y;
  }
  const float mean = sum / (4 * kPart), by = rsqrtf(squares / (4 * kPart) - mean * mean);
  out[i] = make_float4((v.x - mean) * by, (v.y - mean) * by, (v.z - mean) * by, (v.w - mean) * by);
  cluster.sync();
}

}  // namespace

void clusters(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "8192 classes in two blocks' memory", 4.0 * real(n / 16),
      [&] {
        cudaMemsetAsync(s.out, 0, 2 * kHalf * 4);
        classes_of_two_blocks<<<s.sms / 11 * 22, 512>>>(s.words, s.numbers(), n / 16);
      },
      [&] {
        std::vector<unsigned> want(2 * kHalf);
        for (std::size_t i = 0; i < n / 16; ++i) ++want[word_of(i) >> 19];
        return taken(s.numbers(), 2 * kHalf) == want;
      });
  const unsigned rows = as_number(n / 8 / (4 * kPart));
  s.run(
      "rows of 4096 normed by four blocks", 8.0 * 4 * kPart * rows,
      [&] { rows_of_four_blocks<<<rows * 4, 256>>>(reinterpret_cast<float4*>(s.in), s.vectors()); },
      [&] {
        return within(s, std::size_t{4} * kPart * rows, 2e-3, [](std::size_t i) {
          double sum = 0, squares = 0;
          for (std::size_t k = 0; k < 4 * kPart; ++k) {
            const double v = float_of(i / (4 * kPart) * (4 * kPart) + k);
            sum += v, squares += v * v;
          }
          const double mean = sum / (4 * kPart);
          return (float_of(i) - mean) / std::sqrt(squares / (4 * kPart) - mean * mean);
        });
      });
}

}  // namespace held_out_6

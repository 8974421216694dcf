/// @file
/// Shared memory of other blocks of a cluster. Part of fresh.cu.
#pragma once

#include "fresh.cuh"

namespace {

__global__ void __cluster_dims__(4, 1, 1)
    count_in_clusters(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned mine[1024];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) mine[b] = 0;
  cluster.sync();
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const unsigned bin = in[i] >> 20;
    atomicAdd(cluster.map_shared_rank(&mine[bin & 1023], bin >> 10), 1u);
  }
  cluster.sync();
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * 1024 + b], mine[b]);
}
__global__ void __cluster_dims__(2, 1, 1) shares_of_rows(const float* in, float* out) {
  __shared__ float parts[16], total;
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t base = blockIdx.x * std::size_t{4096} + threadIdx.x;
  float v[8], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = in[base + k * 512], sum += v[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int w = 0; w < 16; ++w) all += parts[w];
    total = all;
  }
  cluster.sync();
  const float scale = 1 / (total + *cluster.map_shared_rank(&total, cluster.block_rank() ^ 1));
#pragma unroll
  for (int k = 0; k < 8; ++k) out[base + k * 512] = v[k] * scale;
  cluster.sync();  // nobody leaves while the other reads
}

void Fresh::clusters() {
  run(
      "counters of clusters", one / 4,
      [&] { count_in_clusters<<<sms * 8 / 4 * 4, 256>>>(words, numbers, n / 4); },
      [&] {
        unsigned long long sum = 0;
        for (std::size_t b = 0; b < 4096; ++b) sum += number(b);
        return sum == n / 4;
      });
  run(
      "shares of rows by clusters", two,
      [&] { shares_of_rows<<<static_cast<unsigned>(n / 8192 * 2), 512>>>(in, out); },
      [&] {
        return each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / 8192 * 8192; k < i / 8192 * 8192 + 8192; ++k) sum += float_of(k);
          return near(value(i), float_of(i) / sum);
        });
      });
}

}  // namespace

/// @file
/// Tensor cores: what sixteen vectors have with each other, scores of 64 queries brought to shares.
#include <mma.h>

#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr unsigned kTensorsLong = 128;

/// A warp has sixteen vectors of 128 halves.
__global__ void __launch_bounds__(256) gram(const __half* vectors, float* out, unsigned groups) {
  const unsigned g = (blockIdx.x * 256 + threadIdx.x) / 32;
  if (g >= groups) return;
  const __half* mine = vectors + g * std::size_t{16 * kTensorsLong};
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
#pragma unroll
  for (unsigned k = 0; k < kTensorsLong; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
    wmma::load_matrix_sync(a, mine + k, kTensorsLong);
    wmma::load_matrix_sync(b, mine + k, kTensorsLong);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(out + g * std::size_t{256}, sum, 16, wmma::mem_row_major);
}

constexpr unsigned kQueries = 64, kTensorsDims = 64;
/// A block of four warps has 64 queries and 64 keys; two threads make a row's scores shares.
__global__ void __launch_bounds__(128)
    shares_of_scores(const __half* queries, const __half* keys, float* out) {
  __shared__ alignas(32) float scores[kQueries][kQueries + 4];
  const unsigned warp = threadIdx.x / 32;
  const std::size_t base = blockIdx.x * std::size_t{kQueries * kTensorsDims};
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
#pragma unroll
  for (auto& each : sum) wmma::fill_fragment(each, 0.0f);
#pragma unroll
  for (unsigned k = 0; k < kTensorsDims; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> q;
    wmma::load_matrix_sync(q, queries + base + warp * 16 * kTensorsDims + k, kTensorsDims);
#pragma unroll
    for (unsigned c = 0; c < 4; ++c) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> t;
      wmma::load_matrix_sync(t, keys + base + c * 16 * kTensorsDims + k, kTensorsDims);
      wmma::mma_sync(sum[c], q, t, sum[c]);
    }
  }
#pragma unroll
  for (unsigned c = 0; c < 4; ++c) {
#pragma unroll
    for (int e = 0; e < sum[c].num_elements; ++e) sum[c].x[e] *= 0.125f;
    wmma::store_matrix_sync(&scores[warp * 16][c * 16], sum[c], kQueries + 4, wmma::mem_row_major);
  }
  __syncthreads();
  float* row = scores[threadIdx.x / 2] + threadIdx.x % 2 * 32;
  float greatest = row[0], total = 0;
  for (unsigned c = 1; c < 32; ++c) greatest = fmaxf(greatest, row[c]);
  greatest = fmaxf(greatest, __shfl_xor_sync(~0u, greatest, 1));
  for (unsigned c = 0; c < 32; ++c) {
    row[c] = __expf(row[c] - greatest);
    total += row[c];
  }
  total += __shfl_xor_sync(~0u, total, 1);
  for (unsigned c = 0; c < 32; ++c) row[c] /= total;
  __syncthreads();
  for (unsigned k = threadIdx.x; k < kQueries * kQueries; k += 128)
    out[blockIdx.x * std::size_t{kQueries * kQueries} + k] = scores[k / kQueries][k % kQueries];
}

}  // namespace

void tensors(Set& s) {
  const std::size_t n = s.n;
  const unsigned groups = as_number(n / 4096), blocks = as_number(n / 8 / (kQueries * kQueries));
  s.run(
      "sixteen vectors by each other by tensor cores, a warp each",
      (2.0 * 16 * kTensorsLong + 4.0 * 256) * groups,
      [&] { gram<<<Set::blocks(groups, 8), 256>>>(s.halves, s.out, groups); },
      [&] {
        return floats(s, groups * std::size_t{256}, [](std::size_t i) {
          const std::size_t base = i / 256 * 16 * kTensorsLong, a = i % 256 / 16 * kTensorsLong,
                            b = i % 16 * kTensorsLong;
          double sum = 0;
          for (std::size_t k = 0; k < kTensorsLong; ++k)
            sum += double{half_of(base + a + k)} * half_of(base + b + k);
          return sum;
        });
      });
  const __half* keys = s.halves + n;
  s.run(
      "shares of 64 by 64 scores by tensor cores", (4.0 * kTensorsDims + 4.0 * kQueries) * kQueries * blocks,
      [&] { shares_of_scores<<<blocks, 128>>>(s.halves, keys, s.out); },
      [&] {
        return floats(s, std::size_t{kQueries * kQueries} * blocks, [n](std::size_t i) {
          const std::size_t base = i / (kQueries * kQueries) * (kQueries * kTensorsDims),
                            q = i / kQueries * kTensorsDims;
          double total = 0, mine = 0;
          for (std::size_t c = 0; c < kQueries; ++c) {
            double score = 0;
            for (std::size_t k = 0; k < kTensorsDims; ++k)
              score += double{half_of(q + k)} * half_of(n + base + c * kTensorsDims + k);
            const double weight = std::exp(score * 0.125);
            total += weight;
            if (c == i % kQueries) mine = weight;
          }
          return mine / total;
        });
      });
}

}  // namespace held_out_7

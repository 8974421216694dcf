/// @file
/// Layers of networks: attention whose sums are rescaled as it goes, losses of rows of 1000, weights of four
/// bits by a vector, the greatest of 3 x 3 with channels last.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kKeys = 128, kDims = 32;

/// A thread has a query, a block the 128 of a head.
__global__ void __launch_bounds__(128)
    attend(const float* queries, const float* keys, const float* values, float* out) {
  __shared__ float ks[kKeys][kDims], vs[kKeys][kDims];
  const std::size_t base = blockIdx.x * std::size_t{kKeys * kDims};
  for (int k = threadIdx.x; k < kKeys * kDims; k += 128) {
    ks[k / kDims][k % kDims] = keys[base + k];
    vs[k / kDims][k % kDims] = values[base + k];
  }
  float q[kDims], sum[kDims];
  const float4* mine = reinterpret_cast<const float4*>(queries + base) + threadIdx.x * (kDims / 4);
#pragma unroll
  for (int d = 0; d < kDims / 4; ++d) {
    const float4 v = mine[d];
    q[4 * d] = v.x, q[4 * d + 1] = v.y, q[4 * d + 2] = v.z, q[4 * d + 3] = v.w;
  }
#pragma unroll
  for (float& each : sum) each = 0.0f;
  __syncthreads();
  float greatest = -1e30f, total = 0.0f;
  for (int k = 0; k < kKeys; ++k) {
    float score = 0.0f;
#pragma unroll
    for (int d = 0; d < kDims; ++d) score += q[d] * ks[k][d];
    score *= 0.02f;
    const float top = fmaxf(greatest, score), shrink = __expf(greatest - top), weight = __expf(score - top);
    total = total * shrink + weight;
#pragma unroll
    for (int d = 0; d < kDims; ++d) sum[d] = sum[d] * shrink + weight * vs[k][d];
    greatest = top;
  }
  float4* to = reinterpret_cast<float4*>(out + base) + threadIdx.x * (kDims / 4);
  const float over = 1.0f / total;
#pragma unroll
  for (int d = 0; d < kDims / 4; ++d)
    to[d] =
        make_float4(sum[4 * d] * over, sum[4 * d + 1] * over, sum[4 * d + 2] * over, sum[4 * d + 3] * over);
}

constexpr int kRow = 1000;
template <typename Join>
__device__ float join_block(float v, float* parts, Join join) {
  for (int d = 16; d > 0; d /= 2) v = join(v, __shfl_xor_sync(~0u, v, d));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = v;
  __syncthreads();
  v = parts[0];
  for (unsigned w = 1; w < blockDim.x / 32; ++w) v = join(v, parts[w]);
  __syncthreads();
  return v;
}
__global__ void losses_of_rows(const float* rows, const unsigned* labels, float* losses) {
  __shared__ float parts[32];
  const float* row = rows + blockIdx.x * std::size_t{kRow};
  float greatest = -INFINITY;
  for (int c = threadIdx.x; c < kRow; c += blockDim.x) greatest = fmaxf(greatest, row[c]);
  greatest = join_block(greatest, parts, [](float a, float b) { return fmaxf(a, b); });
  float sum = 0;
  for (int c = threadIdx.x; c < kRow; c += blockDim.x) sum += expf(row[c] - greatest);
  sum = join_block(sum, parts, [](float a, float b) { return a + b; });
  if (threadIdx.x == 0) losses[blockIdx.x] = logf(sum) + greatest - row[labels[blockIdx.x] % kRow];
}

constexpr unsigned kLayersColumns = 1024, kGroup = 32;
/// Each 32 weights of a row share a scale; a warp has a row.
__global__ void __launch_bounds__(256) four_bits_by_vector(const unsigned* weights, const float* scales,
                                                           const float* x, float* y, unsigned rows) {
  __shared__ float xs[kLayersColumns];
  for (unsigned k = threadIdx.x; k < kLayersColumns; k += 256) xs[k] = x[k];
  __syncthreads();
  const unsigned r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows) return;
  float sum = 0;
  for (unsigned k = lane; k < kLayersColumns / 8; k += 32) {
    const unsigned eight = weights[r * (kLayersColumns / 8) + k];
    float part = 0;
#pragma unroll
    for (unsigned b = 0; b < 8; ++b) part += (static_cast<float>(eight >> 4 * b & 15) - 8.0f) * xs[8 * k + b];
    sum += part * scales[r * (kLayersColumns / kGroup) + k / 4];
  }
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
  if (lane == 0) y[r] = sum;
}

constexpr unsigned kChannels = 16, kAcross = 128, kPooled = 64;
__global__ void pool_three_by_three(const float4* in, float4* out, unsigned high) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, c = i % (kChannels / 4),
                 x = i / (kChannels / 4) % kPooled, y = i / (kChannels / 4 * kPooled);
  if (y >= high / 2) return;
  float4 best = make_float4(-1e30f, -1e30f, -1e30f, -1e30f);
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int px = static_cast<int>(2 * x) + dx, py = static_cast<int>(2 * y) + dy;
      if (px < 0 || py < 0 || px >= static_cast<int>(kAcross) || py >= static_cast<int>(high)) continue;
      const float4 v = in[(py * kAcross + px) * (kChannels / 4) + c];
      best.x = fmaxf(best.x, v.x), best.y = fmaxf(best.y, v.y);
      best.z = fmaxf(best.z, v.z), best.w = fmaxf(best.w, v.w);
    }
  out[i] = best;
}

}  // namespace

void layers(Set& s) {
  const std::size_t n = s.n;
  const unsigned heads = s.sms * 4;
  const float* values = s.in + n / 2;
  s.run(
      "attention of 128 queries a block, rescaled as it goes", 16.0 * kKeys * kDims * heads,
      [&] { attend<<<heads, 128>>>(s.in, s.other, values, s.out); },
      [&] {
        return floats(s, std::size_t{heads} * kKeys * kDims, [&](std::size_t i) {
          const std::size_t base = i / (kKeys * kDims) * (kKeys * kDims), q = i / kDims * kDims;
          double total = 0, sum = 0;
          for (std::size_t k = 0; k < kKeys; ++k) {
            double score = 0;
            for (std::size_t d = 0; d < kDims; ++d)
              score += double{float_of(q + d)} * other_of(base + k * kDims + d);
            const double weight = std::exp(0.02 * score);
            total += weight, sum += weight * float_of(n / 2 + base + k * kDims + i % kDims);
          }
          return sum / total;
        });
      });
  const unsigned rows = as_number(n / 8 / kRow);
  s.run(
      "losses of rows of 1000, a block of 128 each", 4.0 * (kRow + 2) * rows,
      [&] { losses_of_rows<<<rows, 128>>>(s.in, s.words, s.out); },
      [&] {
        return floats(s, rows, [](std::size_t r) {
          double sum = 0;
          for (std::size_t c = 0; c < kRow; ++c) sum += std::exp(double{float_of(r * kRow + c)});
          return std::log(sum) - float_of(r * kRow + word_of(r) % kRow);
        });
      });
  const unsigned weight_rows = as_number(n / 512);
  s.run(
      "weights of four bits by a vector, a warp a row",
      (kLayersColumns / 2.0 + 4.0 * kLayersColumns / kGroup + 4) * weight_rows,
      [&] {
        four_bits_by_vector<<<Set::blocks(weight_rows, 8), 256>>>(s.words, s.in, s.other, s.out, weight_rows);
      },
      [&] {
        return within(s, weight_rows, 0.5, [](std::size_t r) {
          double sum = 0;
          for (std::size_t c = 0; c < kLayersColumns; ++c) {
            const std::size_t i = r * kLayersColumns + c;
            sum += (static_cast<double>(word_of(i / 8) >> 4 * (i % 8) & 15) - 8) * float_of(i / kGroup) *
                   other_of(c);
          }
          return sum;
        });
      });
  const unsigned high = as_number(n / 4 / (kAcross * kChannels) / 2 * 2),
                 pooled = high / 2 * kPooled * kChannels;
  s.run(
      "greatest of 3 x 3 at every second place, channels last",
      4.0 * kAcross * kChannels * high + 4.0 * pooled,
      [&] {
        pool_three_by_three<<<Set::blocks(pooled / 4, 128), 128>>>(reinterpret_cast<const float4*>(s.in),
                                                                   s.vectors(), high);
      },
      [&] {
        return floats(s, pooled, [high](std::size_t i) {
          const std::size_t c = i % kChannels, x = i / kChannels % kPooled, y = i / (kChannels * kPooled);
          float best = 0;
          for (std::size_t py = y == 0 ? 0 : 2 * y - 1; py <= std::min<std::size_t>(2 * y + 1, high - 1);
               ++py)
            for (std::size_t px = x == 0 ? 0 : 2 * x - 1; px <= std::min<std::size_t>(2 * x + 1, kAcross - 1);
                 ++px)
              best = std::max(best, float_of((py * kAcross + px) * kChannels + c));
          return double{best};
        });
      });
}

}  // namespace held_out_7

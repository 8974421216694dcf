/// @file
/// Products of matrices: an element a thread, tiles of 16 of a first factor that lies turned, tiles of 32
/// with edges that do not fit, 8 x 8 elements a thread, batches of small halves by tensor cores.
#include <mma.h>

#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kPlainDeep = 192, kPlainWide = 192;
__global__ void __launch_bounds__(256) plain_product(const float* a, const float* b, float* c) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (unsigned k = 0; k < kPlainDeep; ++k) sum += a[y * kPlainDeep + k] * b[k * kPlainWide + x];
  c[y * kPlainWide + x] = sum;
}

constexpr unsigned kTurnedDeep = 256, kTurnedWide = 128;
/// The first factor's columns lie in a row each.
__global__ void __launch_bounds__(256)
    first_turned_by_tiles(const float* a, const float* b, float* c, unsigned high) {
  __shared__ float as[16][16], bs[16][16];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y0 = blockIdx.y * 16;
  float sum = 0.0f;
  for (unsigned k0 = 0; k0 < kTurnedDeep; k0 += 16) {
    as[ty][tx] = a[(k0 + ty) * high + y0 + tx];
    bs[ty][tx] = b[(k0 + ty) * kTurnedWide + x];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) sum += as[k][ty] * bs[k][tx];
    __syncthreads();
  }
  c[(y0 + ty) * kTurnedWide + x] = sum;
}

constexpr unsigned kRaggedSide = 200;
/// What lies beyond an edge is nought.
__global__ void __launch_bounds__(1024)
    ragged_by_tiles(const float* a, const float* b, float* c, unsigned high) {
  __shared__ float as[32][32], bs[32][32];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  float sum = 0.0f;
  for (unsigned k0 = 0; k0 < kRaggedSide; k0 += 32) {
    as[ty][tx] = y < high && k0 + tx < kRaggedSide ? a[y * kRaggedSide + k0 + tx] : 0.0f;
    bs[ty][tx] = k0 + ty < kRaggedSide && x < kRaggedSide ? b[(k0 + ty) * kRaggedSide + x] : 0.0f;
    __syncthreads();
    for (unsigned k = 0; k < 32; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  if (y < high && x < kRaggedSide) c[y * kRaggedSide + x] = sum;
}

constexpr unsigned kBlockedDeep = 256, kBlockedWide = 128;
/// 64 x 128 a block of 128 threads; eight of the depth at once, the first factor turned as it is stored.
__global__ void __launch_bounds__(128) eight_by_eight(const float* a, const float* b, float* c) {
  __shared__ alignas(16) float as[8][64], bs[8][kBlockedWide];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const float* rows = a + blockIdx.x * std::size_t{64 * kBlockedDeep};
  float sum[8][8] = {};
  for (unsigned k0 = 0; k0 < kBlockedDeep; k0 += 8) {
    const float4 v = *reinterpret_cast<const float4*>(rows + t / 2 * kBlockedDeep + k0 + t % 2 * 4);
    as[t % 2 * 4][t / 2] = v.x;
    as[t % 2 * 4 + 1][t / 2] = v.y;
    as[t % 2 * 4 + 2][t / 2] = v.z;
    as[t % 2 * 4 + 3][t / 2] = v.w;
#pragma unroll
    for (unsigned half = 0; half < 8; half += 4)
      *reinterpret_cast<float4*>(&bs[half + t / 32][t % 32 * 4]) =
          *reinterpret_cast<const float4*>(b + (k0 + half + t / 32) * kBlockedWide + t % 32 * 4);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 8; ++k) {
      float left[8], right[8];
#pragma unroll
      for (unsigned j = 0; j < 8; j += 4) {
        const float4 l = *reinterpret_cast<const float4*>(&as[k][ty * 8 + j]),
                     r = *reinterpret_cast<const float4*>(&bs[k][j * 16 + tx * 4]);
        left[j] = l.x, left[j + 1] = l.y, left[j + 2] = l.z, left[j + 3] = l.w;
        right[j] = r.x, right[j + 1] = r.y, right[j + 2] = r.z, right[j + 3] = r.w;
      }
#pragma unroll
      for (unsigned y = 0; y < 8; ++y)
#pragma unroll
        for (unsigned x = 0; x < 8; ++x) sum[y][x] += left[y] * right[x];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned y = 0; y < 8; ++y)
#pragma unroll
    for (unsigned x = 0; x < 8; x += 4)
      *reinterpret_cast<float4*>(
          &c[(blockIdx.x * std::size_t{64} + ty * 8 + y) * kBlockedWide + x * 16 + tx * 4]) =
          make_float4(sum[y][x], sum[y][x + 1], sum[y][x + 2], sum[y][x + 3]);
}

namespace tensor = nvcuda::wmma;
constexpr unsigned kBatchSide = 64, kBatchPitch = kBatchSide + 8;  ///< rows in shared memory [halves]
/// A block has a product of 64 x 64, each of its warps sixteen rows.
__global__ void __launch_bounds__(128) batches_by_tensor_cores(const __half* a, const __half* b, float* c) {
  __shared__ alignas(32) __half as[kBatchSide * kBatchPitch], bs[kBatchSide * kBatchPitch];
  const std::size_t base = blockIdx.x * std::size_t{kBatchSide * kBatchSide};
  for (unsigned k = threadIdx.x; k < kBatchSide * kBatchSide / 8; k += 128) {
    const unsigned to = k / 8 * kBatchPitch + k % 8 * 8;
    *reinterpret_cast<uint4*>(&as[to]) = reinterpret_cast<const uint4*>(a + base)[k];
    *reinterpret_cast<uint4*>(&bs[to]) = reinterpret_cast<const uint4*>(b + base)[k];
  }
  __syncthreads();
  const unsigned y0 = threadIdx.x / 32 * 16;
  tensor::fragment<tensor::accumulator, 16, 16, 16, float> sum[4];
#pragma unroll
  for (auto& each : sum) tensor::fill_fragment(each, 0.0f);
#pragma unroll
  for (unsigned k = 0; k < kBatchSide; k += 16) {
    tensor::fragment<tensor::matrix_a, 16, 16, 16, __half, tensor::row_major> left;
    tensor::load_matrix_sync(left, &as[y0 * kBatchPitch + k], kBatchPitch);
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) {
      tensor::fragment<tensor::matrix_b, 16, 16, 16, __half, tensor::row_major> right;
      tensor::load_matrix_sync(right, &bs[k * kBatchPitch + j * 16], kBatchPitch);
      tensor::mma_sync(sum[j], left, right, sum[j]);
    }
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j)
    tensor::store_matrix_sync(c + base + y0 * kBatchSide + j * 16, sum[j], kBatchSide, tensor::mem_row_major);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  // Element i of a product whose factors lie by rows.
  const auto product_at = [](std::size_t i, std::size_t deep, std::size_t wide) {
    double sum = 0;
    for (std::size_t k = 0; k < deep; ++k)
      sum += double{float_of(i / wide * deep + k)} * other_of(k * wide + i % wide);
    return sum;
  };
  const unsigned plain = s.sms * 16;
  s.run(
      "product of 192 columns, an element a thread", 4.0 * plain * (kPlainDeep + kPlainWide),
      [&] { plain_product<<<dim3(kPlainWide / 64, plain / 4), dim3(64, 4)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{plain} * kPlainWide,
                      [&](std::size_t i) { return product_at(i, kPlainDeep, kPlainWide); });
      });
  const unsigned turned = s.sms * 32;
  s.run(
      "product of a first factor that lies turned, tiles of 16", 4.0 * turned * (kTurnedDeep + kTurnedWide),
      [&] {
        first_turned_by_tiles<<<dim3(kTurnedWide / 16, turned / 16), dim3(16, 16)>>>(s.in, s.other, s.out,
                                                                                     turned);
      },
      [&] {
        return floats(s, std::size_t{turned} * kTurnedWide, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTurnedDeep; ++k)
            sum +=
                double{float_of(k * turned + i / kTurnedWide)} * other_of(k * kTurnedWide + i % kTurnedWide);
          return sum;
        });
      });
  const unsigned ragged = s.sms * 20;
  s.run(
      "product of 200 columns, tiles of 32 that do not fit", 4.0 * ragged * (2 * kRaggedSide),
      [&] {
        ragged_by_tiles<<<dim3((kRaggedSide + 31) / 32, (ragged + 31) / 32), dim3(32, 32)>>>(s.in, s.other,
                                                                                             s.out, ragged);
      },
      [&] {
        return floats(s, std::size_t{ragged} * kRaggedSide,
                      [&](std::size_t i) { return product_at(i, kRaggedSide, kRaggedSide); });
      });
  const unsigned blocked = s.sms * 128;
  s.run(
      "product, 64 x 128 a block, 8 x 8 a thread by fours", 4.0 * blocked * (kBlockedDeep + kBlockedWide),
      [&] { eight_by_eight<<<blocked / 64, 128>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{blocked} * kBlockedWide,
                      [&](std::size_t i) { return product_at(i, kBlockedDeep, kBlockedWide); });
      });
  constexpr std::size_t kBatch = kBatchSide * kBatchSide;
  const unsigned batches = as_number(n / 8 / kBatch);
  s.run(
      "batches of 64 x 64 halves by tensor cores", 8.0 * kBatch * batches,
      [&] { batches_by_tensor_cores<<<batches, 128>>>(s.halves, s.halves + n, s.out); },
      [&] {
        return floats(s, kBatch * batches, [&](std::size_t i) {
          const std::size_t base = i / kBatch * kBatch, y = i % kBatch / kBatchSide, x = i % kBatchSide;
          double sum = 0;
          for (std::size_t k = 0; k < kBatchSide; ++k)
            sum += double{half_of(base + y * kBatchSide + k)} * half_of(n + base + k * kBatchSide + x);
          return sum;
        });
      });
}

}  // namespace held_out_9

/// @file
/// Products: so many sums a thread that registers leave room for few warps, halves by the tensor cores'
/// own instruction.
#include "../bulk.hpp"
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kManyWide = 256, kManyDeep = 256, kManyHigh = 64, kManyTile = 128, kManyStep = 8,
                   kManyThreads = 64;
/// A thread has eight rows of sixteen columns, in fours that are 32 apart.
__global__ void __launch_bounds__(kManyThreads)
    product_of_many_sums(const float4* a, const float4* b, float4* c) {
  __shared__ alignas(16) float left[kManyStep][kManyHigh + 4], right[kManyStep][kManyTile];
  const unsigned t = threadIdx.x, tx = t % 8, ty = t / 8;
  const unsigned x0 = blockIdx.x * kManyTile, y0 = blockIdx.y * kManyHigh;
  float sums[8][16] = {};
  for (unsigned from = 0; from < kManyDeep; from += kManyStep) {
#pragma unroll
    for (unsigned k = t; k < kManyHigh * kManyStep / 4; k += kManyThreads) {
      const float4 v = a[(std::size_t{y0 + k / 2} * kManyDeep + from) / 4 + k % 2];
      left[k % 2 * 4][k / 2] = v.x;
      left[k % 2 * 4 + 1][k / 2] = v.y;
      left[k % 2 * 4 + 2][k / 2] = v.z;
      left[k % 2 * 4 + 3][k / 2] = v.w;
    }
#pragma unroll
    for (unsigned k = t; k < kManyTile * kManyStep / 4; k += kManyThreads)
      *reinterpret_cast<float4*>(&right[k / 32][k % 32 * 4]) =
          b[((from + k / 32) * kManyWide + x0) / 4 + k % 32];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kManyStep; ++k) {
      float u[8], v[16];
#pragma unroll
      for (unsigned q = 0; q < 2; ++q)
        *reinterpret_cast<float4*>(u + 4 * q) = *reinterpret_cast<const float4*>(&left[k][8 * ty + 4 * q]);
#pragma unroll
      for (unsigned q = 0; q < 4; ++q)
        *reinterpret_cast<float4*>(v + 4 * q) = *reinterpret_cast<const float4*>(&right[k][32 * q + 4 * tx]);
#pragma unroll
      for (unsigned i = 0; i < 8; ++i)
#pragma unroll
        for (unsigned j = 0; j < 16; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 8; ++i)
#pragma unroll
    for (unsigned q = 0; q < 4; ++q)
      c[(std::size_t{y0 + 8 * ty + i} * kManyWide + x0 + 32 * q) / 4 + tx] =
          make_float4(sums[i][4 * q], sums[i][4 * q + 1], sums[i][4 * q + 2], sums[i][4 * q + 3]);
}

constexpr unsigned kCoreWide = 128, kCoreDeep = 256, kCoreTile = 64, kCoreStep = 32, kCoreThreads = 128;
constexpr std::size_t kCoreSecond = std::size_t{1} << 20;  // where the second factor begins among the halves
struct Four {
  unsigned v[4];
};
__device__ __forceinline__ Four matrices(const __half* from) {
  Four m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.v[0]), "=r"(m.v[1]), "=r"(m.v[2]), "=r"(m.v[3])
               : "r"(ladder::shared_address(from))
               : "memory");
  return m;
}
__device__ __forceinline__ Four matrices_turned(const __half* from) {
  Four m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(m.v[0]), "=r"(m.v[1]), "=r"(m.v[2]), "=r"(m.v[3])
               : "r"(ladder::shared_address(from))
               : "memory");
  return m;
}
__device__ __forceinline__ void add_product(float (&sums)[4], const Four& a, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(a.v[0]), "r"(a.v[1]), "r"(a.v[2]), "r"(a.v[3]), "r"(b0), "r"(b1));
}
/// Each of four warps has 32 x 32 of a tile of 64 x 64. Rows of both tiles are an odd number of vectors apart.
__global__ void __launch_bounds__(kCoreThreads)
    product_by_matrices(const __half* a, const __half* b, float* c) {
  __shared__ alignas(16) __half left[kCoreTile][kCoreStep + 8], right[kCoreStep][kCoreTile + 8];
  const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
  const unsigned x0 = blockIdx.x * kCoreTile, y0 = blockIdx.y * kCoreTile;
  const unsigned wx = warp % 2 * 32, wy = warp / 2 * 32;
  float sums[2][4][4] = {};
  for (unsigned from = 0; from < kCoreDeep; from += kCoreStep) {
#pragma unroll
    for (unsigned k = t; k < kCoreTile * kCoreStep / 8; k += kCoreThreads) {
      *reinterpret_cast<uint4*>(&left[k / 4][k % 4 * 8]) =
          *reinterpret_cast<const uint4*>(a + std::size_t{y0 + k / 4} * kCoreDeep + from + k % 4 * 8);
      *reinterpret_cast<uint4*>(&right[k / 8][k % 8 * 8]) =
          *reinterpret_cast<const uint4*>(b + (from + k / 8) * kCoreWide + x0 + k % 8 * 8);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kCoreStep; k += 16) {
      Four u[2], v[2];
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) {
        u[i] = matrices(&left[wy + 16 * i + lane % 16][k + lane / 16 * 8]);
        v[i] = matrices_turned(&right[k + lane % 16][wx + 16 * i + lane / 16 * 8]);
      }
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned j = 0; j < 4; ++j)
          add_product(sums[i][j], u[i], v[j / 2].v[j % 2 * 2], v[j / 2].v[j % 2 * 2 + 1]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j)
#pragma unroll
      for (unsigned h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(c + std::size_t{y0 + wy + 16 * i + 8 * h + lane / 4} * kCoreWide + x0 +
                                   wx + 8 * j + lane % 4 * 2) =
            make_float2(sums[i][j][2 * h], sums[i][j][2 * h + 1]);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned many = as_number(n / 32 / kManyDeep / kManyHigh * kManyHigh);
  s.run(
      "product of 256 columns, 64 x 128 by two warps, 8 x 16 a thread", 4.0 * (kManyDeep + kManyWide) * many,
      [&] {
        product_of_many_sums<<<dim3(kManyWide / kManyTile, many / kManyHigh), kManyThreads>>>(
            reinterpret_cast<const float4*>(s.in), reinterpret_cast<const float4*>(s.other), s.vectors());
      },
      [&] {
        return floats(s, std::size_t{kManyWide} * many, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kManyDeep; ++k)
            sum += double{float_of(i / kManyWide * kManyDeep + k)} * other_of(k * kManyWide + i % kManyWide);
          return sum;
        });
      });

  const unsigned cores = as_number(n / 8 / kCoreDeep / kCoreTile * kCoreTile);
  s.run(
      "halves by tensor cores, fragments of both factors loaded as matrices of 8 x 8",
      (2.0 * kCoreDeep + 4.0 * kCoreWide) * cores,
      [&] {
        product_by_matrices<<<dim3(kCoreWide / kCoreTile, cores / kCoreTile), kCoreThreads>>>(
            s.halves, s.halves + kCoreSecond, s.out);
      },
      [&] {
        return floats(s, std::size_t{kCoreWide} * cores, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kCoreDeep; ++k)
            sum += double{half_of(i / kCoreWide * kCoreDeep + k)} *
                   half_of(kCoreSecond + k * kCoreWide + i % kCoreWide);
          return sum;
        });
      });
}

}  // namespace held_out_16

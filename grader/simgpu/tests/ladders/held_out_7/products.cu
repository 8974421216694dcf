/// @file
/// Matrix products: the lower tiles of matrices by themselves turned, 128 x 64 a block in registers, the first
/// factor turned as loops write it, rows of bits. What goes with the SMs is the rows or the matrices.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kSide = 128, kTiles = kSide / 32;

/// A block of 32 x 8 has a tile of 32 x 32 on or below the diagonal.
__global__ void __launch_bounds__(256) lower_tiles(const float* a, float* c) {
  __shared__ float p[32][33], q[32][33];
  int by = 0, bx = blockIdx.x;
  while (bx > by) bx -= ++by;
  const float* mine = a + blockIdx.y * std::size_t{kSide * kSide};
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum[4] = {};
  for (int k0 = 0; k0 < kSide; k0 += 32) {
    for (int r = ty; r < 32; r += 8) {
      p[r][tx] = mine[(by * 32 + r) * kSide + k0 + tx];
      q[r][tx] = mine[(bx * 32 + r) * kSide + k0 + tx];
    }
    __syncthreads();
    for (int k = 0; k < 32; ++k)
      for (int r = 0; r < 4; ++r) sum[r] += p[ty + 8 * r][k] * q[tx][k];
    __syncthreads();
  }
  float* out = c + blockIdx.y * std::size_t{kSide * kSide};
  for (int r = 0; r < 4; ++r) out[(by * 32 + ty + 8 * r) * kSide + bx * 32 + tx] = sum[r];
}

constexpr int kDepth = 256, kWidth = 256;
/// 8 rows and 4 columns a thread, sixteen deep.
__global__ void __launch_bounds__(256)
    eight_by_four(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ alignas(16) float as[16][128 + 4], bs[16][64];
  const int t = threadIdx.x, x0 = blockIdx.x * 64, y0 = blockIdx.y * 128;
  float sum[8][4];
#pragma unroll
  for (auto& row : sum) row[0] = row[1] = row[2] = row[3] = 0.0f;
  for (int k0 = 0; k0 < kDepth; k0 += 16) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int r = t / 4 + 64 * part, k = t % 4 * 4;
      const float4 v = *reinterpret_cast<const float4*>(a + (y0 + r) * kDepth + k0 + k);
      as[k][r] = v.x, as[k + 1][r] = v.y, as[k + 2][r] = v.z, as[k + 3][r] = v.w;
    }
    *reinterpret_cast<float4*>(&bs[t / 16][t % 16 * 4]) =
        *reinterpret_cast<const float4*>(b + (k0 + t / 16) * kWidth + x0 + t % 16 * 4);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const float4 low = *reinterpret_cast<const float4*>(&as[k][t / 16 * 8]),
                   high = *reinterpret_cast<const float4*>(&as[k][t / 16 * 8 + 4]),
                   right = *reinterpret_cast<const float4*>(&bs[k][t % 16 * 4]);
      const float u[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
      for (int r = 0; r < 8; ++r) {
        sum[r][0] = fmaf(u[r], right.x, sum[r][0]);
        sum[r][1] = fmaf(u[r], right.y, sum[r][1]);
        sum[r][2] = fmaf(u[r], right.z, sum[r][2]);
        sum[r][3] = fmaf(u[r], right.w, sum[r][3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 8; ++r)
    *reinterpret_cast<float4*>(c + (y0 + t / 16 * 8 + r) * kWidth + x0 + t % 16 * 4) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
/// The first factor has a column of its own for each row of the product.
__global__ void first_turned(const float* a, const float* b, float* c, int rows, int depth) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < depth; k++) sum += a[k * rows + y] * b[k * kWidth + x];
  c[y * kWidth + x] = sum;
}
constexpr unsigned kBitWords = 32;
/// How many of 1024 bits two rows have in common, 16 x 16 pairs a block.
__global__ void bits_in_common(const unsigned* a, const unsigned* b, unsigned* c) {
  __shared__ unsigned p[16][kBitWords + 1], q[16][kBitWords + 1];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  for (unsigned k = tx; k < kBitWords; k += 16) {
    p[ty][k] = a[(blockIdx.y * 16 + ty) * kBitWords + k];
    q[ty][k] = b[(blockIdx.x * 16 + ty) * kBitWords + k];
  }
  __syncthreads();
  int same = 0;
#pragma unroll 8
  for (unsigned k = 0; k < kBitWords; ++k) same += __popc(~(p[ty][k] ^ q[tx][k]));
  c[(blockIdx.y * 16 + ty) * kWidth + blockIdx.x * 16 + tx] = static_cast<unsigned>(same);
}

}  // namespace

void products(Set& s) {
  const unsigned matrices = s.sms * 4;
  s.run(
      "lower tiles of matrices by themselves turned", 4.0 * kSide * kSide * 1.625 * matrices,
      [&] { lower_tiles<<<dim3(kTiles * (kTiles + 1) / 2, matrices), dim3(32, 8)>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{matrices} * kSide * kSide, [](std::size_t i) {
          const std::size_t base = i / (kSide * kSide) * (kSide * kSide), y = i % (kSide * kSide) / kSide,
                            x = i % kSide;
          if (x / 32 > y / 32) return 0.0;
          double sum = 0;
          for (std::size_t k = 0; k < kSide; ++k)
            sum += double{float_of(base + y * kSide + k)} * float_of(base + x * kSide + k);
          return sum;
        });
      });
  const unsigned rows = s.sms * 128;
  s.run(
      "product, 128 x 64 a block, 8 x 4 a thread", 4.0 * rows * (kDepth + kWidth),
      [&] { eight_by_four<<<dim3(kWidth / 64, rows / 128), 256>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{rows} * kWidth, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kDepth; ++k)
            sum += double{float_of(i / kWidth * kDepth + k)} * other_of(k * kWidth + i % kWidth);
          return sum;
        });
      });
  const std::size_t fewer = s.sms * std::size_t{64}, depth = 192;
  s.run(
      "product, first factor turned, an element a thread", 4.0 * real(fewer) * (192 + kWidth),
      [&] {
        first_turned<<<dim3(kWidth / 16, as_number(fewer / 16)), dim3(16, 16)>>>(
            s.in, s.other, s.out, static_cast<int>(fewer), static_cast<int>(depth));
      },
      [&] {
        return floats(s, fewer * kWidth, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < depth; ++k)
            sum += double{float_of(k * fewer + i / kWidth)} * other_of(k * kWidth + i % kWidth);
          return sum;
        });
      });
  const unsigned bit_rows = s.sms * 256;
  const std::size_t second = s.n / 2;
  s.run(
      "bits that rows of 1024 have in common, tiles of 16", 4.0 * bit_rows * (kBitWords + kWidth),
      [&] {
        bits_in_common<<<dim3(kWidth / 16, bit_rows / 16), dim3(16, 16)>>>(s.words, s.words + second,
                                                                           s.numbers());
      },
      [&] {
        return numbers(s, std::size_t{bit_rows} * kWidth, [second](std::size_t i) {
          unsigned same = 0;
          for (std::size_t k = 0; k < kBitWords; ++k) {
            const unsigned differ =
                word_of(i / kWidth * kBitWords + k) ^ word_of(second + i % kWidth * kBitWords + k);
            for (unsigned bit = 0; bit < 32; ++bit) same += (differ >> bit & 1) == 0;
          }
          return same;
        });
      });
}

}  // namespace held_out_7

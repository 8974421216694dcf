/// @file
/// Products: an element a thread, tiles of 24 with edges, columns by columns of a tall matrix, 4 x 8 elements
/// a thread, halves by tensor cores.
#include <mma.h>

#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kHundred = 100;
__global__ void by_elements(const float* a, const float* b, float* c, unsigned rows) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= kHundred || y >= rows) return;
  float sum = 0;
  for (unsigned k = 0; k < kHundred; ++k) sum += a[y * kHundred + k] * b[k * kHundred + x];
  c[y * kHundred + x] = sum;
}
constexpr unsigned kTile = 24, kInner = 80;
/// The inner side is no multiple of the tile's.
__global__ void __launch_bounds__(kTile* kTile)
    in_tiles(const float* a, const float* b, float* c, unsigned rows) {
  __shared__ float ta[kTile][kTile], tb[kTile][kTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * kTile + tx, y = blockIdx.y * kTile + ty;
  float sum = 0;
  for (unsigned k0 = 0; k0 < kInner; k0 += kTile) {
    ta[ty][tx] = y < rows && k0 + tx < kInner ? a[y * kInner + k0 + tx] : 0.0f;
    tb[ty][tx] = k0 + ty < kInner && x < kInner ? b[(k0 + ty) * kInner + x] : 0.0f;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kTile; ++k) sum += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  if (y < rows && x < kInner) c[y * kInner + x] = sum;
}
/// The sums of products of any two of 64 columns; 4 x 4 pairs a thread, 64 rows at once.
__global__ void __launch_bounds__(256) columns_by_columns(const float4* a, float* c, unsigned chunks) {
  __shared__ alignas(16) float rows[64][64];
  const unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float sum[4][4] = {};
  for (unsigned chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
#pragma unroll
    for (unsigned r = 0; r < 64; r += 16)
      *reinterpret_cast<float4*>(&rows[r + ty][4 * tx]) = a[chunk * std::size_t{1024} + (r + ty) * 16 + tx];
    __syncthreads();
#pragma unroll 8
    for (unsigned r = 0; r < 64; ++r) {
      const float4 u = *reinterpret_cast<const float4*>(&rows[r][4 * ty]),
                   v = *reinterpret_cast<const float4*>(&rows[r][4 * tx]);
      const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += us[i] * vs[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned j = 0; j < 4; ++j) atomicAdd(&c[(4 * ty + i) * 64 + 4 * tx + j], sum[i][j]);
}
/// 64 x 128 a block; both factors are 128 wide.
__global__ void __launch_bounds__(256) four_by_eight(const float* a, const float* b, float* c) {
  __shared__ alignas(16) float ta[16][64 + 4], tb[16][128];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const std::size_t y0 = blockIdx.x * std::size_t{64};
  float sum[4][8] = {};
  for (unsigned k0 = 0; k0 < 128; k0 += 16) {
    const float4 v = *reinterpret_cast<const float4*>(a + (y0 + t / 4) * 128 + k0 + t % 4 * 4);
    ta[t % 4 * 4][t / 4] = v.x, ta[t % 4 * 4 + 1][t / 4] = v.y;
    ta[t % 4 * 4 + 2][t / 4] = v.z, ta[t % 4 * 4 + 3][t / 4] = v.w;
#pragma unroll
    for (unsigned r = t / 32; r < 16; r += 8)
      *reinterpret_cast<float4*>(&tb[r][t % 32 * 4]) =
          *reinterpret_cast<const float4*>(b + (k0 + r) * 128 + t % 32 * 4);
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 16; ++k) {
      float u[4], w[8];
      *reinterpret_cast<float4*>(u) = *reinterpret_cast<const float4*>(&ta[k][4 * ty]);
      *reinterpret_cast<float4*>(w) = *reinterpret_cast<const float4*>(&tb[k][4 * tx]);
      *reinterpret_cast<float4*>(w + 4) = *reinterpret_cast<const float4*>(&tb[k][64 + 4 * tx]);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j) sum[i][j] += u[i] * w[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
#pragma unroll
    for (unsigned h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(c + (y0 + 4 * ty + i) * 128 + 64 * h + 4 * tx) =
          make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
}
/// A warp has 32 x 32 of the result and reads both factors, 64 wide, from where they lie.
__global__ void __launch_bounds__(128) by_tensor_cores(const __half* a, const __half* b, float* c) {
  using namespace nvcuda;
  const unsigned warp = threadIdx.x / 32;
  const std::size_t y = (blockIdx.x * std::size_t{2} + warp / 2) * 32;
  const unsigned x = warp % 2 * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
  for (auto& row : sum)
    for (auto& one : row) wmma::fill_fragment(one, 0.0f);
#pragma unroll
  for (unsigned k = 0; k < 64; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> u[2];
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> v[2];
#pragma unroll
    for (unsigned h = 0; h < 2; ++h) {
      wmma::load_matrix_sync(u[h], a + (y + 16 * h) * 64 + k, 64);
      wmma::load_matrix_sync(v[h], b + k * 64 + x + 16 * h, 64);
    }
#pragma unroll
    for (unsigned i = 0; i < 2; ++i)
#pragma unroll
      for (unsigned j = 0; j < 2; ++j) wmma::mma_sync(sum[i][j], u[i], v[j], sum[i][j]);
  }
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      wmma::store_matrix_sync(c + (y + 16 * i) * 64 + x + 16 * j, sum[i][j], 64, wmma::mem_row_major);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  // Element i of a product whose factors lie in Set::in and Set::other, both of this width.
  const auto product = [](std::size_t width) {
    return [width](std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < width; ++k)
        sum += double{float_of(i / width * width + k)} * other_of(k * width + i % width);
      return sum;
    };
  };
  const unsigned rows = as_number(n / 32 / kHundred / 4 * 4);
  s.run(
      "product of 100 columns, an element a thread", 8.0 * kHundred * rows,
      [&] { by_elements<<<dim3(4, rows / 4), dim3(32, 4)>>>(s.in, s.other, s.out, rows); },
      [&] { return floats(s, rows * std::size_t{kHundred}, product(kHundred)); });
  const unsigned tall = as_number(n / 32 / kInner);
  s.run(
      "product of 80 columns, tiles of 24", 8.0 * kInner * tall,
      [&] {
        in_tiles<<<dim3(4, Set::blocks(tall, kTile)), dim3(kTile, kTile)>>>(s.in, s.other, s.out, tall);
      },
      [&] { return floats(s, tall * std::size_t{kInner}, product(kInner)); });
  const unsigned chunks = as_number(n / 16 / 4096);
  s.run(
      "sums of products of 64 columns", 4.0 * 4096 * chunks,
      [&] {
        cudaMemsetAsync(s.out, 0, 16384);
        columns_by_columns<<<s.sms * 2, 256>>>(reinterpret_cast<float4*>(s.in), s.out, chunks);
      },
      [&] {
        return floats(s, 4096, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t r = 0; r < chunks * std::size_t{64}; ++r)
            sum += double{float_of(r * 64 + i / 64)} * float_of(r * 64 + i % 64);
          return sum;
        });
      });
  const std::size_t high = n / 32 / 128 / 64;
  s.run(
      "product, 4 x 8 a thread", 8.0 * 64 * 128 * real(high),
      [&] { four_by_eight<<<as_number(high), 256>>>(s.in, s.other, s.out); },
      [&] { return floats(s, high * 64 * 128, product(128)); });
  const std::size_t blocks = n / 16 / 4096;
  s.run(
      "product of halves by tensor cores, as they lie", 6.0 * 4096 * real(blocks),
      [&] { by_tensor_cores<<<as_number(blocks), 128>>>(s.halves, s.halves + n, s.out); },
      [&] {
        return floats(s, blocks * 4096, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 64; ++k)
            sum += double{half_of(i / 64 * 64 + k)} * half_of(n + k * 64 + i % 64);
          return sum;
        });
      });
}

}  // namespace held_out_4

/// @file
/// Products of matrices: 16-bit integers as written, doubles out of tiles, 5 x 5 a thread with the next tiles
/// copied by words, bytes by tensor cores out of shared memory, tiles that tensor maps bring.
#include <cuda_pipeline.h>
#include <mma.h>

#include "../bulk.hpp"
#include "../tensor_maps.hpp"
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

namespace tensor = nvcuda::wmma;

constexpr unsigned kShortWide = 112, kShortRows = 8;
/// Sums are taken modulo 2 to the 32nd.
__global__ void product_of_shorts(const unsigned short* a, const ushort4* b, uint4* c) {
  const unsigned x = threadIdx.x, y = blockIdx.x * kShortRows + threadIdx.y;
  uint4 sum = make_uint4(0, 0, 0, 0);
  for (unsigned k = 0; k < kShortWide; ++k) {
    const unsigned left = a[y * kShortWide + k];
    const ushort4 right = b[k * (kShortWide / 4) + x];
    sum.x += left * right.x;
    sum.y += left * right.y;
    sum.z += left * right.z;
    sum.w += left * right.w;
  }
  c[y * (kShortWide / 4) + x] = sum;
}
unsigned short_of(std::size_t i) {
  return word_of(i / 2) >> (16 * (i % 2)) & 0xffff;
}

constexpr unsigned kDoubleWide = 160, kDoubleTile = 32;
__global__ void __launch_bounds__(256) product_of_double_tiles(const double* a, const double* b, double* c) {
  __shared__ double left[kDoubleTile][kDoubleTile], right[kDoubleTile][kDoubleTile];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned x = blockIdx.x * kDoubleTile + tx, y0 = blockIdx.y * kDoubleTile;
  double sums[4] = {};
  for (unsigned from = 0; from < kDoubleWide; from += kDoubleTile) {
    for (unsigned row = ty; row < kDoubleTile; row += 8) {
      left[row][tx] = a[(y0 + row) * kDoubleWide + from + tx];
      right[row][tx] = b[(from + row) * kDoubleWide + x];
    }
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < kDoubleTile; ++k)
#pragma unroll
      for (unsigned j = 0; j < 4; ++j) sums[j] += left[ty + 8 * j][k] * right[k][tx];
    __syncthreads();
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j) c[(y0 + ty + 8 * j) * kDoubleWide + x] = sums[j];
}

constexpr unsigned kFivesDeep = 240, kFivesWide = 320, kFivesTile = 80, kFivesStep = 16;
__global__ void __launch_bounds__(256) product_by_fives(const float* a, const float* b, float* c) {
  __shared__ float left[2][kFivesTile][kFivesStep + 1], right[2][kFivesStep][kFivesTile];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kFivesTile, y0 = blockIdx.y * kFivesTile;
  const auto fetch = [&](unsigned from, unsigned to) {
    for (unsigned k = t; k < kFivesTile * kFivesStep; k += 256) {
      const unsigned row = k / kFivesStep, column = k % kFivesStep;
      __pipeline_memcpy_async(&left[to][row][column], a + (y0 + row) * kFivesDeep + from + column, 4);
      __pipeline_memcpy_async(&right[to][k / kFivesTile][k % kFivesTile],
                              b + (from + k / kFivesTile) * kFivesWide + x0 + k % kFivesTile, 4);
    }
  };
  float sums[5][5] = {};
  fetch(0, 0);
  __pipeline_commit();
  for (unsigned from = 0; from < kFivesDeep; from += kFivesStep) {
    const unsigned now = from / kFivesStep % 2;
    if (from + kFivesStep < kFivesDeep) fetch(from + kFivesStep, 1 - now);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
#pragma unroll 4
    for (unsigned k = 0; k < kFivesStep; ++k) {
      float u[5], v[5];
#pragma unroll
      for (unsigned i = 0; i < 5; ++i) u[i] = left[now][ty + 16 * i][k], v[i] = right[now][k][tx + 16 * i];
#pragma unroll
      for (unsigned i = 0; i < 5; ++i)
#pragma unroll
        for (unsigned j = 0; j < 5; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 5; ++i)
#pragma unroll
    for (unsigned j = 0; j < 5; ++j) c[(y0 + ty + 16 * i) * kFivesWide + x0 + tx + 16 * j] = sums[i][j];
}

constexpr unsigned kBytesDeep = 256, kBytesWide = 128, kBytesTile = 64, kOfPiece = 256;
/// Pieces of 16 x 16 bytes lie one behind the other in shared memory; a warp has 2 x 2 of the block's 4 x 4.
__global__ void __launch_bounds__(128)
    product_of_byte_pieces(const unsigned char* a, const unsigned char* b, int* c) {
  __shared__ alignas(32) unsigned char left[kBytesTile * kBytesTile], right[kBytesTile * kBytesTile];
  const unsigned t = threadIdx.x, warp = t / 32;
  const unsigned x0 = blockIdx.x * kBytesTile, y0 = blockIdx.y * kBytesTile;
  tensor::fragment<tensor::accumulator, 16, 16, 16, int> sums[2][2];
  for (auto& row : sums)
    for (auto& each : row) tensor::fill_fragment(each, 0);
  for (unsigned from = 0; from < kBytesDeep; from += kBytesTile) {
    for (unsigned k = t; k < kBytesTile * 4; k += 128) {
      const unsigned row = k / 4, piece = k % 4;
      const unsigned to = (row / 16 * 4 + piece) * kOfPiece + row % 16 * 16;
      *reinterpret_cast<uint4*>(left + to) =
          *reinterpret_cast<const uint4*>(a + (y0 + row) * kBytesDeep + from + piece * 16);
      *reinterpret_cast<uint4*>(right + to) =
          *reinterpret_cast<const uint4*>(b + (from + row) * kBytesWide + x0 + piece * 16);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      tensor::fragment<tensor::matrix_a, 16, 16, 16, unsigned char, tensor::row_major> u[2];
      tensor::fragment<tensor::matrix_b, 16, 16, 16, unsigned char, tensor::row_major> v[2];
#pragma unroll
      for (unsigned i = 0; i < 2; ++i) {
        tensor::load_matrix_sync(u[i], left + ((warp / 2 * 2 + i) * 4 + k) * kOfPiece, 16);
        tensor::load_matrix_sync(v[i], right + (k * 4 + warp % 2 * 2 + i) * kOfPiece, 16);
      }
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) tensor::mma_sync(sums[i][j], u[i], v[j], sums[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < 2; ++i)
#pragma unroll
    for (unsigned j = 0; j < 2; ++j)
      tensor::store_matrix_sync(
          c + (y0 + (warp / 2 * 2 + i) * 16) * kBytesWide + x0 + (warp % 2 * 2 + j) * 16, sums[i][j],
          kBytesWide, tensor::mem_row_major);
}

constexpr unsigned kMapDeep = 256, kMapWide = 128, kMapTile = 64, kMapStep = 32;
__device__ __forceinline__ void load_box(float* to, const CUtensorMap* map, unsigned x, unsigned y,
                                         std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(ladder::shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(ladder::shared_address(barrier))
      : "memory");
}
/// One thread asks for both factors' boxes, two steps ahead.
__global__ void __launch_bounds__(256)
    product_of_boxes(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float* c) {
  __shared__ alignas(128) float left[2][kMapTile][kMapStep], right[2][kMapStep][kMapTile];
  __shared__ std::uint64_t come[2];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned x0 = blockIdx.x * kMapTile, y0 = blockIdx.y * kMapTile;
  const auto ask = [&](unsigned step) {
    const unsigned to = step % 2;
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(ladder::shared_address(&come[to])),
        "r"(2 * kMapTile * kMapStep * 4)
        : "memory");
    load_box(&left[to][0][0], &a, step * kMapStep, y0, &come[to]);
    load_box(&right[to][0][0], &b, x0, step * kMapStep, &come[to]);
  };
  if (t == 0) {
    ladder::init_barrier(&come[0], 1);
    ladder::init_barrier(&come[1], 1);
    ladder::publish_barriers();
    ask(0);
    ask(1);
  }
  __syncthreads();
  float sums[4][4] = {};
  constexpr unsigned kMapSteps = kMapDeep / kMapStep;
  for (unsigned step = 0; step < kMapSteps; ++step) {
    const unsigned now = step % 2;
    ladder::wait_for(&come[now], step / 2 % 2);
#pragma unroll 8
    for (unsigned k = 0; k < kMapStep; ++k) {
      const float4 v = *reinterpret_cast<const float4*>(&right[now][k][tx * 4]);
#pragma unroll
      for (unsigned i = 0; i < 4; ++i) {
        const float u = left[now][ty + 16 * i][k];
        sums[i][0] += u * v.x;
        sums[i][1] += u * v.y;
        sums[i][2] += u * v.z;
        sums[i][3] += u * v.w;
      }
    }
    __syncthreads();
    if (t == 0 && step + 2 < kMapSteps) ask(step + 2);
  }
#pragma unroll
  for (unsigned i = 0; i < 4; ++i)
    *reinterpret_cast<float4*>(c + (y0 + ty + 16 * i) * kMapWide + x0 + tx * 4) =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned short_rows = as_number(n / 32 / kShortWide / kShortRows * kShortRows);
  s.run(
      "16-bit integers of 112 columns multiplied, four a thread", 6.0 * kShortWide * short_rows,
      [&] {
        product_of_shorts<<<short_rows / kShortRows, dim3(kShortWide / 4, kShortRows)>>>(
            reinterpret_cast<const unsigned short*>(s.words),
            reinterpret_cast<const ushort4*>(s.words + n / 2), reinterpret_cast<uint4*>(s.out));
      },
      [&] {
        return numbers(s, std::size_t{kShortWide} * short_rows, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < kShortWide; ++k)
            sum += short_of(i / kShortWide * kShortWide + k) *
                   short_of(n / 2 * 2 + k * kShortWide + i % kShortWide);
          return sum;
        });
      });
  const unsigned double_rows = as_number(n / 64 / kDoubleWide / kDoubleTile * kDoubleTile);
  s.run(
      "doubles of 160 columns by tiles of 32, four rows a thread", 16.0 * kDoubleWide * double_rows,
      [&] {
        product_of_double_tiles<<<dim3(kDoubleWide / kDoubleTile, double_rows / kDoubleTile), dim3(32, 8)>>>(
            reinterpret_cast<const double*>(s.in), reinterpret_cast<const double*>(s.other),
            reinterpret_cast<double*>(s.out));
      },
      [&] {
        return doubles(s, std::size_t{kDoubleWide} * double_rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kDoubleWide; ++k)
            sum += double_of(i / kDoubleWide * kDoubleWide + k) *
                   double_of(k * kDoubleWide + i % kDoubleWide, 33331);
          return sum;
        });
      });
  const unsigned fives = as_number(n / 32 / kFivesWide / kFivesTile * kFivesTile);
  s.run(
      "product, 80 x 80 a block, 5 x 5 a thread, tiles ahead by words",
      4.0 * (kFivesDeep + kFivesWide) * fives,
      [&] {
        product_by_fives<<<dim3(kFivesWide / kFivesTile, fives / kFivesTile), 256>>>(s.in, s.other, s.out);
      },
      [&] {
        return floats(s, std::size_t{kFivesWide} * fives, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kFivesDeep; ++k)
            sum +=
                double{float_of(i / kFivesWide * kFivesDeep + k)} * other_of(k * kFivesWide + i % kFivesWide);
          return sum;
        });
      });
  const unsigned byte_rows = as_number(n / 32 / kBytesWide / kBytesTile * kBytesTile);
  s.run(
      "bytes by tensor cores, 64 x 64 a block out of shared memory",
      (kBytesDeep + 4.0 * kBytesWide) * byte_rows,
      [&] {
        product_of_byte_pieces<<<dim3(kBytesWide / kBytesTile, byte_rows / kBytesTile), 128>>>(
            reinterpret_cast<const unsigned char*>(s.words),
            reinterpret_cast<const unsigned char*>(s.words + n / 8 * 4), reinterpret_cast<int*>(s.out));
      },
      [&] {
        return numbers(s, std::size_t{kBytesWide} * byte_rows, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < kBytesDeep; ++k)
            sum += byte_of(i / kBytesWide * kBytesDeep + k) *
                   byte_of(n / 8 * 16 + k * kBytesWide + i % kBytesWide);
          return sum;
        });
      });

  const unsigned map_rows = as_number(n / 32 / kMapWide / kMapTile * kMapTile);
  CUtensorMap of_left, of_right;
  const bool made = ladder::make_tensor_map<2>(&of_left, s.in, {kMapDeep, map_rows}, {kMapDeep * 4},
                                               {kMapStep, kMapTile}) &&
                    ladder::make_tensor_map<2>(&of_right, s.other, {kMapWide, kMapDeep}, {kMapWide * 4},
                                               {kMapTile, kMapStep});
  s.run(
      "product, 64 x 64 a block, boxes of two tensor maps", 4.0 * (kMapDeep + kMapWide) * map_rows,
      [&] {
        if (made)
          product_of_boxes<<<dim3(kMapWide / kMapTile, map_rows / kMapTile), 256>>>(of_left, of_right, s.out);
      },
      [&] {
        return floats(s, std::size_t{kMapWide} * map_rows, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kMapDeep; ++k)
            sum += double{float_of(i / kMapWide * kMapDeep + k)} * other_of(k * kMapWide + i % kMapWide);
          return sum;
        });
      });
}

}  // namespace held_out_12

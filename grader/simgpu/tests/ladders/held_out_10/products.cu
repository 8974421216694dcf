/// @file
/// Products of matrices: an element a thread, distances by tiles of 32, 6 x 6 a thread, halves by wmma out of
/// shared memory. Stencils: a cross of nine on a plate in a tile with its rim, the divergence of vectors.
#include <mma.h>

#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kNaive = 320;
__global__ void product_as_written(const float* a, const float* b, float* c) {
  const unsigned column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  float sum = 0.0f;
  for (unsigned k = 0; k < kNaive; ++k) sum += a[row * kNaive + k] * b[k * kNaive + column];
  c[row * kNaive + column] = sum;
}

constexpr unsigned kFar = 64, kOthers = 256, kDistanceTile = 32;
__global__ void __launch_bounds__(kDistanceTile* kDistanceTile)
    squared_distances(const float* a, const float* b, float* out) {
  __shared__ float mine[kDistanceTile][kDistanceTile], theirs[kDistanceTile][kDistanceTile + 1];
  const unsigned tx = threadIdx.x, ty = threadIdx.y;
  const unsigned row = blockIdx.y * kDistanceTile + ty, other = blockIdx.x * kDistanceTile;
  float sum = 0.0f;
  for (unsigned from = 0; from < kFar; from += kDistanceTile) {
    mine[ty][tx] = a[row * kFar + from + tx];
    theirs[ty][tx] = b[(other + ty) * kFar + from + tx];
    __syncthreads();
    for (unsigned k = 0; k < kDistanceTile; ++k) {
      const float apart = mine[ty][k] - theirs[tx][k];
      sum += apart * apart;
    }
    __syncthreads();
  }
  out[row * kOthers + other + tx] = sum;
}

constexpr unsigned kBlocked = 384, kSideOfBlock = 96, kEach = 6, kDeepTile = 16;
/// Threads 16 x 16; each has every sixteenth row and column of its block.
__global__ void __launch_bounds__(256) product_in_registers(const float* a, const float* b, float* c) {
  __shared__ float rows[kDeepTile][kSideOfBlock + 1], columns[kDeepTile][kSideOfBlock];
  const unsigned t = threadIdx.x, tx = t % 16, ty = t / 16;
  const unsigned y0 = blockIdx.y * kSideOfBlock, x0 = blockIdx.x * kSideOfBlock;
  float sums[kEach][kEach] = {};
  for (unsigned from = 0; from < kBlocked; from += kDeepTile) {
#pragma unroll
    for (unsigned k = t; k < kDeepTile * kSideOfBlock; k += 256) {
      rows[k % kDeepTile][k / kDeepTile] = a[(y0 + k / kDeepTile) * kBlocked + from + k % kDeepTile];
      columns[k / kSideOfBlock][k % kSideOfBlock] =
          b[(from + k / kSideOfBlock) * kBlocked + x0 + k % kSideOfBlock];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kDeepTile; ++k) {
      float u[kEach], v[kEach];
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) u[j] = rows[k][ty + 16 * j], v[j] = columns[k][tx + 16 * j];
#pragma unroll
      for (unsigned i = 0; i < kEach; ++i)
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) sums[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (unsigned i = 0; i < kEach; ++i)
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) c[(y0 + ty + 16 * i) * kBlocked + x0 + tx + 16 * j] = sums[i][j];
}

namespace mma = nvcuda::wmma;
constexpr unsigned kHalvesDeep = 256, kHalvesWide = 256, kHalvesTile = 64, kHalvesStep = 32, kSpareHalves = 8;
/// Four warps have a block of 64 x 64; tiles come as vectors of eight halves.
__global__ void __launch_bounds__(128) product_of_halves(const __half* a, const __half* b, float* c) {
  __shared__ alignas(32) __half left[kHalvesTile][kHalvesStep + kSpareHalves];
  __shared__ alignas(32) __half right[kHalvesStep][kHalvesTile + kSpareHalves];
  const unsigned t = threadIdx.x, warp = t / 32, y = warp / 2 * 32, x = warp % 2 * 32;
  const unsigned y0 = blockIdx.y * kHalvesTile, x0 = blockIdx.x * kHalvesTile;
  mma::fragment<mma::accumulator, 16, 16, 16, float> sums[2][2];
  for (auto& row : sums)
    for (auto& each : row) mma::fill_fragment(each, 0.0f);
  for (unsigned from = 0; from < kHalvesDeep; from += kHalvesStep) {
#pragma unroll
    for (unsigned k = t; k < kHalvesTile * kHalvesStep / 8; k += 128) {
      const unsigned row = k / (kHalvesStep / 8), column = k % (kHalvesStep / 8) * 8;
      *reinterpret_cast<uint4*>(&left[row][column]) =
          *reinterpret_cast<const uint4*>(a + (y0 + row) * kHalvesDeep + from + column);
      const unsigned its_row = k / (kHalvesTile / 8), its_column = k % (kHalvesTile / 8) * 8;
      *reinterpret_cast<uint4*>(&right[its_row][its_column]) =
          *reinterpret_cast<const uint4*>(b + (from + its_row) * kHalvesWide + x0 + its_column);
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kHalvesStep; k += 16) {
      mma::fragment<mma::matrix_a, 16, 16, 16, __half, mma::row_major> u[2];
      mma::fragment<mma::matrix_b, 16, 16, 16, __half, mma::row_major> v[2];
#pragma unroll
      for (unsigned h = 0; h < 2; ++h) {
        mma::load_matrix_sync(u[h], &left[y + 16 * h][k], kHalvesStep + kSpareHalves);
        mma::load_matrix_sync(v[h], &right[k][x + 16 * h], kHalvesTile + kSpareHalves);
      }
#pragma unroll
      for (unsigned i = 0; i < 2; ++i)
#pragma unroll
        for (unsigned j = 0; j < 2; ++j) mma::mma_sync(sums[i][j], u[i], v[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 2; ++j)
      mma::store_matrix_sync(c + (y0 + y + 16 * i) * kHalvesWide + x0 + x + 16 * j, sums[i][j], kHalvesWide,
                             mma::mem_row_major);
}

constexpr int kPlateWide = 1024, kPlateTileX = 32, kPlateTileY = 8, kPlateRim = 2;
/// The edges of the plate go on as they are.
__global__ void cross_of_nine(const float* in, float* out, int high) {
  __shared__ float tile[kPlateTileY + 2 * kPlateRim][kPlateTileX + 2 * kPlateRim];
  const int x0 = static_cast<int>(blockIdx.x) * kPlateTileX, y0 = static_cast<int>(blockIdx.y) * kPlateTileY;
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  for (int v = ty; v < kPlateTileY + 2 * kPlateRim; v += kPlateTileY)
    for (int u = tx; u < kPlateTileX + 2 * kPlateRim; u += kPlateTileX) {
      const int x = min(max(x0 + u - kPlateRim, 0), kPlateWide - 1),
                y = min(max(y0 + v - kPlateRim, 0), high - 1);
      tile[v][u] = in[y * kPlateWide + x];
    }
  __syncthreads();
  const int u = tx + kPlateRim, v = ty + kPlateRim;
  const float near_ones = tile[v][u - 1] + tile[v][u + 1] + tile[v - 1][u] + tile[v + 1][u],
              far_ones = tile[v][u - 2] + tile[v][u + 2] + tile[v - 2][u] + tile[v + 2][u];
  out[(y0 + ty) * kPlateWide + x0 + tx] = 0.4f * tile[v][u] + 0.1f * near_ones + 0.05f * far_ones;
}

constexpr unsigned kFlowSide = 128;
/// The volume goes on at its other sides.
__global__ void divergence(const float4* in, float* out, unsigned deep) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
                 z = blockIdx.z;
  const auto at = [&](unsigned px, unsigned py, unsigned pz) {
    return in[(pz * kFlowSide + py) * kFlowSide + px];
  };
  const unsigned left = x == 0 ? kFlowSide - 1 : x - 1, right = x + 1 == kFlowSide ? 0 : x + 1,
                 above = y == 0 ? kFlowSide - 1 : y - 1, below = y + 1 == kFlowSide ? 0 : y + 1,
                 before = z == 0 ? deep - 1 : z - 1, behind = z + 1 == deep ? 0 : z + 1;
  out[(z * kFlowSide + y) * kFlowSide + x] =
      0.5f * ((at(right, y, z).x - at(left, y, z).x) + (at(x, below, z).y - at(x, above, z).y) +
              (at(x, y, behind).z - at(x, y, before).z));
}

}  // namespace

void products(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 64 / kNaive / 16 * 16);
  s.run(
      "product of 320 columns, blocks of 16 x 16", 8.0 * kNaive * high,
      [&] { product_as_written<<<dim3(kNaive / 16, high / 16), dim3(16, 16)>>>(s.in, s.other, s.out); },
      [&] {
        return floats(s, std::size_t{kNaive} * high, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kNaive; ++k)
            sum += double{float_of(i / kNaive * kNaive + k)} * other_of(k * kNaive + i % kNaive);
          return sum;
        });
      });
  const unsigned compared = as_number(n / 16 / kOthers / kDistanceTile * kDistanceTile);
  s.run(
      "squared distances of rows of 64 to 256 others, tiles of 32", 4.0 * (kFar + kOthers) * compared,
      [&] {
        squared_distances<<<dim3(kOthers / kDistanceTile, compared / kDistanceTile),
                            dim3(kDistanceTile, kDistanceTile)>>>(s.in, s.other, s.out);
      },
      [&] {
        return floats(s, std::size_t{kOthers} * compared, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kFar; ++k)
            sum += std::pow(double{float_of(i / kOthers * kFar + k)} - other_of(i % kOthers * kFar + k), 2);
          return sum;
        });
      });
  const unsigned blocked = as_number(n / 16 / kBlocked / kSideOfBlock * kSideOfBlock);
  s.run(
      "product, 96 x 96 a block, 6 x 6 a thread", 8.0 * kBlocked * blocked,
      [&] {
        product_in_registers<<<dim3(kBlocked / kSideOfBlock, blocked / kSideOfBlock), 256>>>(s.in, s.other,
                                                                                             s.out);
      },
      [&] {
        return floats(s, std::size_t{kBlocked} * blocked, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kBlocked; ++k)
            sum += double{float_of(i / kBlocked * kBlocked + k)} * other_of(k * kBlocked + i % kBlocked);
          return sum;
        });
      });
  const unsigned rows = as_number(n / 16 / kHalvesWide / kHalvesTile * kHalvesTile);
  const std::size_t second = n;  // the second factor lies behind the first
  s.run(
      "halves by wmma, 32 x 32 a warp out of shared memory", (2.0 * kHalvesDeep + 4.0 * kHalvesWide) * rows,
      [&] {
        product_of_halves<<<dim3(kHalvesWide / kHalvesTile, rows / kHalvesTile), 128>>>(
            s.halves, s.halves + second, s.out);
      },
      [&] {
        return floats(s, std::size_t{kHalvesWide} * rows, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kHalvesDeep; ++k)
            sum += double{half_of(i / kHalvesWide * kHalvesDeep + k)} *
                   half_of(second + k * kHalvesWide + i % kHalvesWide);
          return sum;
        });
      });

  const int plate = static_cast<int>(n / 4 / kPlateWide / kPlateTileY * kPlateTileY);
  s.run(
      "cross of nine on a plate, a tile with its rim", 8.0 * kPlateWide * plate,
      [&] {
        cross_of_nine<<<dim3(kPlateWide / kPlateTileX, static_cast<unsigned>(plate / kPlateTileY)),
                        dim3(kPlateTileX, kPlateTileY)>>>(s.in, s.out, plate);
      },
      [&] {
        return floats(s, static_cast<std::size_t>(kPlateWide * plate), [&](std::size_t i) {
          const int x = static_cast<int>(i) % kPlateWide, y = static_cast<int>(i) / kPlateWide;
          const auto at = [&](int px, int py) {
            px = std::clamp(px, 0, kPlateWide - 1), py = std::clamp(py, 0, plate - 1);
            return double{float_of(static_cast<std::size_t>(py * kPlateWide + px))};
          };
          double sum = 0.4 * at(x, y);
          for (int far = 1; far <= 2; ++far)
            sum += 0.1 / far * (at(x - far, y) + at(x + far, y) + at(x, y - far) + at(x, y + far));
          return sum;
        });
      });
  constexpr std::size_t kPlane = std::size_t{kFlowSide} * kFlowSide;
  const unsigned deep = as_number(n / 16 / kPlane);
  s.run(
      "divergence of vectors of four floats in a volume", 20.0 * real(kPlane) * deep,
      [&] {
        divergence<<<dim3(kFlowSide / 32, kFlowSide / 8, deep), dim3(32, 8)>>>(
            reinterpret_cast<const float4*>(s.in), s.out, deep);
      },
      [&] {
        return within(s, kPlane * deep, 1e-4, [&](std::size_t i) {
          const std::size_t x = i % kFlowSide, y = i / kFlowSide % kFlowSide, z = i / kPlane;
          const auto part = [&](std::size_t px, std::size_t py, std::size_t pz, std::size_t of) {
            px %= kFlowSide, py %= kFlowSide, pz %= deep;
            return double{float_of(4 * ((pz * kFlowSide + py) * kFlowSide + px) + of)};
          };
          return 0.5 *
                 (part(x + 1, y, z, 0) - part(x + kFlowSide - 1, y, z, 0) + part(x, y + 1, z, 1) -
                  part(x, y + kFlowSide - 1, z, 1) + part(x, y, z + 1, 2) - part(x, y, z + deep - 1, 2));
        });
      });
}

}  // namespace held_out_10

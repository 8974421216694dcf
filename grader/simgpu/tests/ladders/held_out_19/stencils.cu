/// @file
/// Neighbours: six on a plane of hexagons, spreads of squares of a picture, cells of a volume from their
/// corners, phases that part.
#include <algorithm>

#include "held_out_19.hpp"

namespace held_out_19 {
namespace {

constexpr unsigned kHexWide = 1024, kHexX = 64, kHexY = 4;
/// Every other row lies half a place to the right. What is at the edges stays.
__global__ void __launch_bounds__(kHexX* kHexY) mean_of_hexagons(const float* in, float* out, unsigned high) {
  const unsigned x = blockIdx.x * kHexX + threadIdx.x, y = blockIdx.y * kHexY + threadIdx.y;
  if (y >= high) return;
  const std::size_t i = std::size_t{y} * kHexWide + x;
  if (x == 0 || y == 0 || x == kHexWide - 1 || y == high - 1) {
    out[i] = in[i];
    return;
  }
  const std::size_t above = i - kHexWide - 1 + y % 2, below = i + kHexWide - 1 + y % 2;
  out[i] = (1.0f / 6) * (in[i - 1] + in[i + 1] + in[above] + in[above + 1] + in[below] + in[below + 1]);
}

constexpr int kSpreadWide = 1024, kSpreadX = 32, kSpreadY = 16, kSpreadRim = 2,
              kSpreadSide = 2 * kSpreadRim + 1;
constexpr float kSpreadMiddle = 3.75f;
__global__ void __launch_bounds__(kSpreadX* kSpreadY)
    spread_of_squares(const float* in, float* out, int high) {
  __shared__ float held[kSpreadY + 2 * kSpreadRim][kSpreadX + 2 * kSpreadRim];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x0 = static_cast<int>(blockIdx.x) * kSpreadX, y0 = static_cast<int>(blockIdx.y) * kSpreadY;
  for (int y = ty; y < kSpreadY + 2 * kSpreadRim; y += kSpreadY)
    for (int x = tx; x < kSpreadX + 2 * kSpreadRim; x += kSpreadX)
      held[y][x] = in[std::size_t(min(max(y0 + y - kSpreadRim, 0), high - 1)) * kSpreadWide +
                      std::size_t(min(max(x0 + x - kSpreadRim, 0), kSpreadWide - 1))] -
                   kSpreadMiddle;
  __syncthreads();
  float sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int y = 0; y < kSpreadSide; ++y)
#pragma unroll
    for (int x = 0; x < kSpreadSide; ++x) {
      const float v = held[ty + y][tx + x];
      sum += v;
      squares += v * v;
    }
  constexpr float kPart = 1.0f / (kSpreadSide * kSpreadSide);
  const float mean = kPart * sum;
  out[std::size_t(y0 + ty) * kSpreadWide + std::size_t(x0 + tx)] = sqrtf(kPart * squares - mean * mean);
}

constexpr unsigned kCellsAcross = 256, kCellsDown = 128, kCornersAcross = kCellsAcross + 1,
                   kCornersDown = kCellsDown + 1, kCellX = 64, kCellY = 4;
constexpr std::size_t kOfCells = std::size_t{kCellsAcross} * kCellsDown,
                      kOfCorners = std::size_t{kCornersAcross} * kCornersDown;
__global__ void __launch_bounds__(kCellX* kCellY) cells_of_corners(const float* in, float* out) {
  const unsigned x = blockIdx.x * kCellX + threadIdx.x, y = blockIdx.y * kCellY + threadIdx.y;
  const float* corner = in + blockIdx.z * kOfCorners + y * kCornersAcross + x;
  const auto four = [](const float* of) {
    return (of[0] + of[1]) + (of[kCornersAcross] + of[kCornersAcross + 1]);
  };
  out[blockIdx.z * kOfCells + y * kCellsAcross + x] = 0.125f * (four(corner) + four(corner + kOfCorners));
}

constexpr unsigned kPhaseWide = 1024, kPhaseX = 32, kPhaseY = 16, kPhaseRows = 8;
constexpr float kPhaseMiddle = 3.75f, kPhaseScale = 0.25f, kPhaseSpread = 0.1f, kPhasePart = 0.05f;
template <typename Real>
__host__ __device__ __forceinline__ Real phase_step(Real here, Real around) {
  return here + Real(kPhaseSpread) * (around - 4 * here) + Real(kPhasePart) * (here - here * here * here);
}
/// The plane's edges are joined with one another; a thread has two rows.
__global__ void __launch_bounds__(kPhaseX* kPhaseRows)
    part_phases(const float* in, float* out, unsigned high) {
  __shared__ float held[kPhaseY + 2][kPhaseX + 2];
  const unsigned x0 = blockIdx.x * kPhaseX, y0 = blockIdx.y * kPhaseY;
  for (unsigned k = threadIdx.y * kPhaseX + threadIdx.x; k < (kPhaseX + 2) * (kPhaseY + 2);
       k += kPhaseX * kPhaseRows) {
    const unsigned x = k % (kPhaseX + 2), y = k / (kPhaseX + 2);
    const unsigned from_x = (x0 + x + kPhaseWide - 1) % kPhaseWide, from_y = (y0 + y + high - 1) % high;
    held[y][x] = kPhaseScale * (in[std::size_t{from_y} * kPhaseWide + from_x] - kPhaseMiddle);
  }
  __syncthreads();
  const unsigned x = threadIdx.x + 1;
#pragma unroll
  for (unsigned y = threadIdx.y + 1; y <= kPhaseY; y += kPhaseRows)
    out[std::size_t{y0 + y - 1} * kPhaseWide + x0 + threadIdx.x] =
        phase_step(held[y][x], (held[y][x - 1] + held[y][x + 1]) + (held[y - 1][x] + held[y + 1][x]));
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned hex_high = as_number(n / 8 / kHexWide);
  s.run(
      "means of the six neighbours on a plane of hexagons, blocks of 64 x 4", 8.0 * kHexWide * hex_high,
      [&] {
        mean_of_hexagons<<<dim3(kHexWide / kHexX, Set::blocks(hex_high, kHexY)), dim3(kHexX, kHexY)>>>(
            s.in, s.out, hex_high);
      },
      [&] {
        return near_everywhere(s, std::size_t{kHexWide} * hex_high, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % kHexWide, y = i / kHexWide;
          if (x == 0 || y == 0 || x == kHexWide - 1 || y == hex_high - 1) return double{float_of(i)};
          double sum = double{float_of(i - 1)} + float_of(i + 1);
          for (const std::size_t row : {i - kHexWide, i + kHexWide})
            sum += double{float_of(row)} + float_of(y % 2 == 1 ? row + 1 : row - 1);
          return sum / 6;
        });
      });

  const long spread_high = static_cast<long>(n / 12 / kSpreadWide / kSpreadY * kSpreadY);
  s.run(
      "spreads of 5 x 5 around each pixel, tiles of 32 x 16 with their rims",
      8.0 * kSpreadWide * static_cast<double>(spread_high),
      [&] {
        spread_of_squares<<<dim3(kSpreadWide / kSpreadX, static_cast<unsigned>(spread_high) / kSpreadY),
                            dim3(kSpreadX, kSpreadY)>>>(s.in, s.out, static_cast<int>(spread_high));
      },
      [&] {
        return near_everywhere(
            s, kSpreadWide * std::size_t(spread_high), 1e-4,
            [&](std::size_t i) {
              const long x = static_cast<long>(i % kSpreadWide), y = static_cast<long>(i / kSpreadWide);
              double sum = 0, squares = 0;
              for (long v = y - kSpreadRim; v <= y + kSpreadRim; ++v)
                for (long u = x - kSpreadRim; u <= x + kSpreadRim; ++u) {
                  const double at = float_of(std::size_t(std::clamp(v, 0l, spread_high - 1) * kSpreadWide +
                                                         std::clamp(u, 0l, kSpreadWide - 1l)));
                  sum += at;
                  squares += at * at;
                }
              const double mean = sum / (kSpreadSide * kSpreadSide);
              return std::sqrt(squares / (kSpreadSide * kSpreadSide) - mean * mean);
            },
            3);
      });

  const unsigned planes = as_number(n / 8 / kOfCells);
  s.run(
      "cells of a volume as means of their eight corners, one more corner a row than cells",
      4.0 * real(kOfCells + kOfCorners) * planes,
      [&] {
        cells_of_corners<<<dim3(kCellsAcross / kCellX, kCellsDown / kCellY, planes), dim3(kCellX, kCellY)>>>(
            s.in, s.out);
      },
      [&] {
        return near_everywhere(s, kOfCells * planes, 1e-5, [](std::size_t i) {
          const std::size_t first =
              i / kOfCells * kOfCorners + i % kOfCells / kCellsAcross * kCornersAcross + i % kCellsAcross;
          double sum = 0;
          for (std::size_t k = 0; k < 8; ++k)
            sum += float_of(first + k / 4 * kOfCorners + k / 2 % 2 * kCornersAcross + k % 2);
          return sum / 8;
        });
      });

  const unsigned phase_high = as_number(n / 8 / kPhaseWide / kPhaseY * kPhaseY);
  s.run(
      "step of phases that part on a plane whose edges are joined, tiles of 32 x 16, two rows a thread",
      8.0 * kPhaseWide * phase_high,
      [&] {
        part_phases<<<dim3(kPhaseWide / kPhaseX, phase_high / kPhaseY), dim3(kPhaseX, kPhaseRows)>>>(
            s.in, s.out, phase_high);
      },
      [&] {
        return near_everywhere(s, std::size_t{kPhaseWide} * phase_high, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % kPhaseWide, y = i / kPhaseWide;
          const auto phase = [&](std::size_t u, std::size_t v) {
            return double{kPhaseScale} *
                   (double{float_of(v % phase_high * kPhaseWide + u % kPhaseWide)} - double{kPhaseMiddle});
          };
          return phase_step(phase(x, y), phase(x + 1, y) + phase(x + kPhaseWide - 1, y) + phase(x, y + 1) +
                                             phase(x, y + phase_high - 1));
        });
      });
}

}  // namespace held_out_19

/// @file
/// Neighbours: means along a line, a step towards Poisson's equation on a plate, the greatest of squares of a picture, heat
/// in a volume whose points conduct as they like.
#include <algorithm>

#include "held_out_18.hpp"

namespace held_out_18 {
namespace {

constexpr int kLineRadius = 9;
constexpr unsigned kLineThreads = 512;
/// @p in has a radius more than @p m either way: it begins that much further ahead.
template <int Radius, unsigned Threads>
__global__ void __launch_bounds__(Threads) means_along_line(const float* in, float* out, unsigned m) {
  __shared__ float held[Threads + 2 * Radius];
  const unsigned i = blockIdx.x * Threads + threadIdx.x;
  if (i < m + 2 * Radius) held[threadIdx.x] = in[i];
  if (threadIdx.x < 2 * Radius && i + Threads < m + 2 * Radius) held[Threads + threadIdx.x] = in[i + Threads];
  __syncthreads();
  if (i >= m) return;
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k <= 2 * Radius; ++k) sum += held[threadIdx.x + k];
  out[i] = sum * (1.0f / (2 * Radius + 1));
}

constexpr unsigned kPlateWide = 2048, kPlateX = 32, kPlateY = 4;
constexpr float kPlateStep = 0.5f;
/// What is at the edges stays.
__global__ void step_of_poisson(const float* in, const float* sources, float* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kPlateWide || y >= high) return;
  const std::size_t i = std::size_t{y} * kPlateWide + x;
  if (x == 0 || y == 0 || x == kPlateWide - 1 || y == high - 1)
    out[i] = in[i];
  else
    out[i] =
        0.25f * (in[i - 1] + in[i + 1] + in[i - kPlateWide] + in[i + kPlateWide] - kPlateStep * sources[i]);
}

constexpr int kSwollenWide = 1024, kSwollenTile = 32, kSwollenRim = 2,
              kSwollenHeld = kSwollenTile + 2 * kSwollenRim;
__global__ void __launch_bounds__(kSwollenTile* kSwollenTile)
    swell_picture(const float* in, float* out, int high) {
  __shared__ float held[kSwollenHeld][kSwollenHeld];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x0 = static_cast<int>(blockIdx.x) * kSwollenTile,
            y0 = static_cast<int>(blockIdx.y) * kSwollenTile;
  for (int y = ty; y < kSwollenHeld; y += kSwollenTile)
    for (int x = tx; x < kSwollenHeld; x += kSwollenTile)
      held[y][x] = in[std::size_t(min(max(y0 + y - kSwollenRim, 0), high - 1)) * kSwollenWide +
                      std::size_t(min(max(x0 + x - kSwollenRim, 0), kSwollenWide - 1))];
  __syncthreads();
  float greatest = held[ty][tx];
#pragma unroll
  for (int y = 0; y <= 2 * kSwollenRim; ++y)
#pragma unroll
    for (int x = 0; x <= 2 * kSwollenRim; ++x) greatest = fmaxf(greatest, held[ty + y][tx + x]);
  out[std::size_t(y0 + ty) * kSwollenWide + std::size_t(x0 + tx)] = greatest;
}

constexpr unsigned kHeatedX = 256, kHeatedY = 128, kHeatedDepth = 14, kHeatedTileX = 32, kHeatedTileY = 8;
constexpr std::size_t kHeatedPlane = std::size_t{kHeatedX} * kHeatedY;
constexpr float kMostConducted = 1.0f / 64;
/// A thread goes fourteen planes down, and keeps what is above and below. The outermost points stay.
__global__ void __launch_bounds__(kHeatedTileX* kHeatedTileY)
    heat_volume(const float* __restrict__ in, const float* __restrict__ conducts, float* __restrict__ out,
                unsigned planes) {
  const unsigned x = blockIdx.x * kHeatedTileX + threadIdx.x, y = blockIdx.y * kHeatedTileY + threadIdx.y;
  const unsigned z0 = blockIdx.z * kHeatedDepth, end = min(z0 + kHeatedDepth, planes);
  const bool edge = x == 0 || y == 0 || x == kHeatedX - 1 || y == kHeatedY - 1;
  std::size_t i = z0 * kHeatedPlane + y * kHeatedX + x;
  float above = z0 == 0 ? 0.0f : in[i - kHeatedPlane], here = in[i];
  for (unsigned z = z0; z < end; ++z) {
    const float below = z + 1 == planes ? 0.0f : in[i + kHeatedPlane];
    float v = here;
    if (!edge && z > 0 && z + 1 < planes)
      v += kMostConducted * conducts[i] *
           (above + below + in[i - 1] + in[i + 1] + in[i - kHeatedX] + in[i + kHeatedX] - 6.0f * here);
    out[i] = v;
    above = here;
    here = below;
    i += kHeatedPlane;
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned line = as_number(n / 8);
  s.run(
      "means of nineteen on a line, out of shared memory, blocks of 512", 8.0 * line,
      [&] {
        means_along_line<kLineRadius, kLineThreads>
            <<<Set::blocks(line, kLineThreads), kLineThreads>>>(s.in, s.out, line);
      },
      [&] {
        return near_everywhere(s, line, 1e-5, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k <= 2 * kLineRadius; ++k) sum += float_of(i + k);
          return sum / (2 * kLineRadius + 1);
        });
      });

  const unsigned high = as_number(n / 8 / kPlateWide);
  s.run(
      "step towards Poisson's equation on a plate, blocks of 32 x 4, no shared memory",
      12.0 * kPlateWide * high,
      [&] {
        step_of_poisson<<<dim3(kPlateWide / kPlateX, Set::blocks(high, kPlateY)), dim3(kPlateX, kPlateY)>>>(
            s.in, s.other, s.out, high);
      },
      [&] {
        return near_everywhere(s, std::size_t{kPlateWide} * high, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % kPlateWide, y = i / kPlateWide;
          if (x == 0 || y == 0 || x == kPlateWide - 1 || y == high - 1) return double{float_of(i)};
          return 0.25 * (double{float_of(i - 1)} + float_of(i + 1) + float_of(i - kPlateWide) +
                         float_of(i + kPlateWide) - double{kPlateStep} * other_of(i));
        });
      });

  const long swollen = static_cast<long>(n / 8 / kSwollenWide / kSwollenTile * kSwollenTile);
  s.run(
      "greatest of 5 x 5 around each pixel, tiles of 32 x 32 with their rims, blocks of 1024",
      8.0 * kSwollenWide * static_cast<double>(swollen),
      [&] {
        swell_picture<<<dim3(kSwollenWide / kSwollenTile, static_cast<unsigned>(swollen) / kSwollenTile),
                        dim3(kSwollenTile, kSwollenTile)>>>(s.in, s.out, static_cast<int>(swollen));
      },
      [&] {
        return same_everywhere<float>(s, kSwollenWide * std::size_t(swollen), [&](std::size_t i) {
          const long x = static_cast<long>(i % kSwollenWide), y = static_cast<long>(i / kSwollenWide);
          float greatest = 0;
          for (long v = std::max(y - kSwollenRim, 0l); v <= std::min(y + kSwollenRim, swollen - 1); ++v)
            for (long u = std::max(x - kSwollenRim, 0l); u <= std::min(x + kSwollenRim, kSwollenWide - 1l);
                 ++u)
              greatest = std::max(greatest, float_of(std::size_t(v * kSwollenWide + u)));
          return greatest;
        });
      });

  const unsigned planes = as_number(n / 8 / kHeatedPlane);
  s.run(
      "heat in a volume whose points conduct each in its own way, plane by plane in registers",
      12.0 * real(kHeatedPlane) * planes,
      [&] {
        heat_volume<<<dim3(kHeatedX / kHeatedTileX, kHeatedY / kHeatedTileY,
                           Set::blocks(planes, kHeatedDepth)),
                      dim3(kHeatedTileX, kHeatedTileY)>>>(s.in, s.other, s.out, planes);
      },
      [&] {
        return near_everywhere(s, kHeatedPlane * planes, 1e-5, [&](std::size_t i) {
          const std::size_t x = i % kHeatedX, y = i / kHeatedX % kHeatedY, z = i / kHeatedPlane;
          const double here = float_of(i);
          if (x == 0 || y == 0 || z == 0 || x == kHeatedX - 1 || y == kHeatedY - 1 || z == planes - 1)
            return here;
          return here + double{kMostConducted} * other_of(i) *
                            (double{float_of(i - 1)} + float_of(i + 1) + float_of(i - kHeatedX) +
                             float_of(i + kHeatedX) + float_of(i - kHeatedPlane) +
                             float_of(i + kHeatedPlane) - 6 * here);
        });
      });
}

}  // namespace held_out_18

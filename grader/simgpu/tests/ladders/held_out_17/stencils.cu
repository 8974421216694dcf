/// @file
/// Neighbours: slopes weighed by smoothness along a line, two steps of heat at once on a plate, faces and corners in a
/// volume.
#include <algorithm>

#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

/// What lies half a place on by three parabolas, of which smooth ones count more.
template <typename Real>
__host__ __device__ __forceinline__ Real weighed_by_smoothness(Real a, Real b, Real c, Real d, Real e) {
  const auto square = [](Real v) { return v * v; };
  const Real thirteen = Real(13) / 12, quarter = Real(1) / 4, least = Real(0.01);
  const Real rough0 = thirteen * square(a - 2 * b + c) + quarter * square(a - 4 * b + 3 * c),
             rough1 = thirteen * square(b - 2 * c + d) + quarter * square(b - d),
             rough2 = thirteen * square(c - 2 * d + e) + quarter * square(3 * c - 4 * d + e);
  const Real w0 = Real(0.1) / square(least + rough0), w1 = Real(0.6) / square(least + rough1),
             w2 = Real(0.3) / square(least + rough2);
  const Real v0 = 2 * a - 7 * b + 11 * c, v1 = -b + 5 * c + 2 * d, v2 = 2 * c + 5 * d - e;
  return (w0 * v0 + w1 * v1 + w2 * v2) / (6 * (w0 + w1 + w2));
}
__global__ void __launch_bounds__(256) weigh_by_smoothness(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = weighed_by_smoothness(in[i], in[i + 1], in[i + 2], in[i + 3], in[i + 4]);
}

constexpr int kHeatWide = 2048, kHeatX = 32, kHeatY = 16, kHeatRim = 2, kHeldX = kHeatX + 2 * kHeatRim,
              kHeldY = kHeatY + 2 * kHeatRim, kHeatThreads = 256;
constexpr float kConducted = 0.2f;
/// What a step makes of the place x, y of @p held; what is at the plate's edges stays.
__device__ __forceinline__ float heated(const float (&held)[kHeldY][kHeldX], int x, int y, bool edge) {
  const float v = held[y][x];
  return edge ? v
              : v + kConducted *
                        (held[y][x - 1] + held[y][x + 1] + held[y - 1][x] + held[y + 1][x] - 4.0f * v);
}
__global__ void __launch_bounds__(kHeatThreads) two_steps_of_heat(const float* in, float* out, int high) {
  __shared__ float held[kHeldY][kHeldX], once[kHeldY][kHeldX];
  const int x0 = static_cast<int>(blockIdx.x) * kHeatX - kHeatRim,
            y0 = static_cast<int>(blockIdx.y) * kHeatY - kHeatRim, t = static_cast<int>(threadIdx.x);
  const auto edge = [&](int x, int y) {
    return x0 + x <= 0 || x0 + x >= kHeatWide - 1 || y0 + y <= 0 || y0 + y >= high - 1;
  };
  for (int k = t; k < kHeldX * kHeldY; k += kHeatThreads) {
    const int x = min(max(x0 + k % kHeldX, 0), kHeatWide - 1), y = min(max(y0 + k / kHeldX, 0), high - 1);
    held[k / kHeldX][k % kHeldX] = in[std::size_t(y) * kHeatWide + std::size_t(x)];
  }
  __syncthreads();
  constexpr int kOnceX = kHeldX - 2, kOnceY = kHeldY - 2;
  for (int k = t; k < kOnceX * kOnceY; k += kHeatThreads) {
    const int x = k % kOnceX + 1, y = k / kOnceX + 1;
    once[y][x] = heated(held, x, y, edge(x, y));
  }
  __syncthreads();
#pragma unroll
  for (int k = t; k < kHeatX * kHeatY; k += kHeatThreads) {
    const int x = k % kHeatX + kHeatRim, y = k / kHeatX + kHeatRim;
    out[std::size_t(y0 + y) * kHeatWide + std::size_t(x0 + x)] = heated(once, x, y, edge(x, y));
  }
}

constexpr int kCornersX = 128, kCornersY = 64, kCornersTileX = 32, kCornersTileY = 8, kCornersDepth = 12,
              kCornersThreads = kCornersTileX * kCornersTileY, kCornersHeldX = kCornersTileX + 2,
              kCornersHeldY = kCornersTileY + 2;
constexpr std::size_t kCornersPlane = std::size_t(kCornersX) * kCornersY;
constexpr float kOfItself = 0.4f, kOfFace = 0.05f, kOfCorner = 0.0375f;
/// A block goes twelve planes down; three are held. Beyond the edges lies what is at the edges.
__global__ void __launch_bounds__(kCornersThreads)
    faces_and_corners(const float* in, float* out, int planes) {
  __shared__ float held[3][kCornersHeldY][kCornersHeldX];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y),
            t = ty * kCornersTileX + tx;
  const int x0 = static_cast<int>(blockIdx.x) * kCornersTileX,
            y0 = static_cast<int>(blockIdx.y) * kCornersTileY,
            z0 = static_cast<int>(blockIdx.z) * kCornersDepth;
  const auto fetch = [&](int z) {
    const float* plane = in + std::size_t(min(max(z, 0), planes - 1)) * kCornersPlane;
    for (int k = t; k < kCornersHeldX * kCornersHeldY; k += kCornersThreads) {
      const int x = min(max(x0 + k % kCornersHeldX - 1, 0), kCornersX - 1),
                y = min(max(y0 + k / kCornersHeldX - 1, 0), kCornersY - 1);
      held[(z + 3) % 3][k / kCornersHeldX][k % kCornersHeldX] = plane[y * kCornersX + x];
    }
  };
  fetch(z0 - 1);
  fetch(z0);
#pragma unroll 1
  for (int z = z0; z < z0 + kCornersDepth; ++z) {
    fetch(z + 1);
    __syncthreads();
    const auto& above = held[(z + 2) % 3];
    const auto& here = held[z % 3];
    const auto& below = held[(z + 1) % 3];
    const int x = tx + 1, y = ty + 1;
    const float faces =
        here[y][x - 1] + here[y][x + 1] + here[y - 1][x] + here[y + 1][x] + above[y][x] + below[y][x];
    const float corners = above[y - 1][x - 1] + above[y - 1][x + 1] + above[y + 1][x - 1] +
                          above[y + 1][x + 1] + below[y - 1][x - 1] + below[y - 1][x + 1] +
                          below[y + 1][x - 1] + below[y + 1][x + 1];
    out[std::size_t(z) * kCornersPlane + std::size_t((y0 + ty) * kCornersX + x0 + tx)] =
        kOfItself * here[y][x] + kOfFace * faces + kOfCorner * corners;
    __syncthreads();  // the next but one comes to where the one above was
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned line = as_number(n / 8);
  s.run(
      "values half a place on, three parabolas of five points weighed by their smoothness", 8.0 * line,
      [&] { weigh_by_smoothness<<<Set::blocks(line), 256>>>(s.in, s.out, line); },
      [&] {
        return within(s, line, 0.01, [](std::size_t i) {
          return weighed_by_smoothness<double>(float_of(i), float_of(i + 1), float_of(i + 2), float_of(i + 3),
                                               float_of(i + 4));
        });
      });

  const long high = static_cast<long>(n / 8 / kHeatWide / kHeatY * kHeatY);
  s.run(
      "two steps of heat at once on a plate, tiles of 32 x 16 with rims of two",
      8.0 * kHeatWide * static_cast<double>(high),
      [&] {
        two_steps_of_heat<<<dim3(kHeatWide / kHeatX, static_cast<unsigned>(high) / kHeatY), kHeatThreads>>>(
            s.in, s.out, static_cast<int>(high));
      },
      [&] {
        return floats(s, std::size_t(kHeatWide) * std::size_t(high), [&](std::size_t i) {
          const std::function<double(long, long, int)> at = [&](long x, long y, int steps) {
            if (steps == 0) return double{float_of(std::size_t(y) * kHeatWide + std::size_t(x))};
            const double v = at(x, y, steps - 1);
            if (x <= 0 || x >= kHeatWide - 1 || y <= 0 || y >= high - 1) return v;
            return v + double{kConducted} * (at(x - 1, y, steps - 1) + at(x + 1, y, steps - 1) +
                                             at(x, y - 1, steps - 1) + at(x, y + 1, steps - 1) - 4 * v);
          };
          return at(static_cast<long>(i % kHeatWide), static_cast<long>(i / kHeatWide), 2);
        });
      });

  const long planes = static_cast<long>(n / 8 / kCornersPlane / kCornersDepth * kCornersDepth);
  s.run(
      "fifteen points of a volume, faces and corners, three planes in shared memory",
      8.0 * real(kCornersPlane) * static_cast<double>(planes),
      [&] {
        faces_and_corners<<<dim3(kCornersX / kCornersTileX, kCornersY / kCornersTileY,
                                 static_cast<unsigned>(planes) / kCornersDepth),
                            dim3(kCornersTileX, kCornersTileY)>>>(s.in, s.out, static_cast<int>(planes));
      },
      [&] {
        return floats(s, kCornersPlane * std::size_t(planes), [&](std::size_t i) {
          const auto at = [&](long dx, long dy, long dz) {
            const long x = std::clamp(static_cast<long>(i % kCornersX) + dx, 0l, kCornersX - 1l),
                       y = std::clamp(static_cast<long>(i / kCornersX % kCornersY) + dy, 0l, kCornersY - 1l),
                       z = std::clamp(static_cast<long>(i / kCornersPlane) + dz, 0l, planes - 1);
            return double{float_of(std::size_t(z) * kCornersPlane + std::size_t(y * kCornersX + x))};
          };
          double sum = double{kOfItself} * at(0, 0, 0);
          for (const long d : {-1l, 1l}) {
            sum += double{kOfFace} * (at(d, 0, 0) + at(0, d, 0) + at(0, 0, d));
            sum += double{kOfCorner} * (at(-1, -1, d) + at(1, -1, d) + at(-1, 1, d) + at(1, 1, d));
          }
          return sum;
        });
      });
}

}  // namespace held_out_17

/// @file
/// Stencils: a picture smoothed less where it is steep, two substances that react and spread, twenty-five
/// points of a volume from plane to plane.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kStencilsWide = 512;

__global__ void smooth_where_flat(const float* in, float* out, int high, float over_k2) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= kStencilsWide || y >= high) return;
  const float here = in[y * kStencilsWide + x];
  const float north = in[max(y - 1, 0) * kStencilsWide + x] - here,
              south = in[min(y + 1, high - 1) * kStencilsWide + x] - here,
              west = in[y * kStencilsWide + max(x - 1, 0)] - here,
              east = in[y * kStencilsWide + min(x + 1, kStencilsWide - 1)] - here;
  float flow = expf(-north * north * over_k2) * north;
  flow += expf(-south * south * over_k2) * south;
  flow += expf(-west * west * over_k2) * west;
  flow += expf(-east * east * over_k2) * east;
  out[y * kStencilsWide + x] = here + 0.2f * flow;
}
/// What lies beyond an edge is at the opposite one.
__global__ void react_and_spread(const float* __restrict__ u, const float* __restrict__ v,
                                 float2* __restrict__ out, int high) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  const int left = (x + kStencilsWide - 1) % kStencilsWide, right = (x + 1) % kStencilsWide,
            up = y == 0 ? high - 1 : y - 1, down = y + 1 == high ? 0 : y + 1;
  const auto spread = [&](const float* f) {
    return 0.2f * (f[y * kStencilsWide + left] + f[y * kStencilsWide + right] + f[up * kStencilsWide + x] +
                   f[down * kStencilsWide + x]) +
           0.05f * (f[up * kStencilsWide + left] + f[up * kStencilsWide + right] +
                    f[down * kStencilsWide + left] + f[down * kStencilsWide + right]) -
           f[y * kStencilsWide + x];
  };
  const float a = u[y * kStencilsWide + x], b = v[y * kStencilsWide + x], met = 0.01f * a * b * b;
  out[y * kStencilsWide + x] =
      make_float2(a + 0.5f * spread(u) - met + 0.055f * (1.0f - a), b + 0.25f * spread(v) + met - 0.117f * b);
}

constexpr int kStencilsSide = 64, kPlanes = 16;
__constant__ float weights[5];
/// Four cells each way along three axes: z in registers, the rest in a tile. Beyond the volume lies nought.
__global__ void __launch_bounds__(512) twenty_five(const float* in, float* out, int depth) {
  __shared__ float tile[16 + 8][32 + 8];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 16 + ty,
            z0 = blockIdx.z * kPlanes;
  const auto at = [&](int cx, int cy, int cz) {
    return cx < 0 || cy < 0 || cz < 0 || cx >= kStencilsSide || cy >= kStencilsSide || cz >= depth
               ? 0.0f
               : in[(cz * kStencilsSide + cy) * kStencilsSide + cx];
  };
  float column[9];
#pragma unroll
  for (int k = 0; k < 8; ++k) column[k + 1] = at(x, y, z0 - 4 + k);
  for (int z = z0; z < z0 + kPlanes; ++z) {
#pragma unroll
    for (int k = 0; k < 8; ++k) column[k] = column[k + 1];
    column[8] = at(x, y, z + 4);
    __syncthreads();
    tile[ty + 4][tx + 4] = column[4];
    if (ty < 4) {
      tile[ty][tx + 4] = at(x, y - 4, z);
      tile[ty + 20][tx + 4] = at(x, y + 16, z);
    }
    if (tx < 4) {
      tile[ty + 4][tx] = at(x - 4, y, z);
      tile[ty + 4][tx + 36] = at(x + 32, y, z);
    }
    __syncthreads();
    float sum = weights[0] * column[4];
#pragma unroll
    for (int d = 1; d <= 4; ++d)
      sum += weights[d] * (column[4 - d] + column[4 + d] + tile[ty + 4][tx + 4 - d] +
                           tile[ty + 4][tx + 4 + d] + tile[ty + 4 - d][tx + 4] + tile[ty + 4 + d][tx + 4]);
    out[(z * kStencilsSide + y) * kStencilsSide + x] = sum;
  }
}

}  // namespace

void stencils(Set& s) {
  const int high = static_cast<int>(s.n / 16 / kStencilsWide / 8 * 8);
  const std::size_t cells = std::size_t{kStencilsWide} * static_cast<std::size_t>(high);
  const auto pixel = [high](long x, long y) {
    x = std::clamp(x, 0L, kStencilsWide - 1L), y = std::clamp(y, 0L, high - 1L);
    return double{float_of(static_cast<std::size_t>(y * kStencilsWide + x))};
  };
  s.run(
      "picture smoothed less where it is steep", 8.0 * real(cells),
      [&] {
        smooth_where_flat<<<dim3(kStencilsWide / 32, high / 8), dim3(32, 8)>>>(s.in, s.out, high, 0.25f);
      },
      [&] {
        return floats(s, cells, [&](std::size_t i) {
          const long x = static_cast<long>(i % kStencilsWide), y = static_cast<long>(i / kStencilsWide);
          double v = pixel(x, y);
          for (const auto& [dx, dy] : {std::pair{0L, -1L}, {0L, 1L}, {-1L, 0L}, {1L, 0L}}) {
            const double d = pixel(x + dx, y + dy) - pixel(x, y);
            v += 0.2 * d * std::exp(-0.25 * d * d);
          }
          return v;
        });
      });
  s.run(
      "two substances that react and spread", 16.0 * real(cells),
      [&] {
        react_and_spread<<<dim3(kStencilsWide / 64, high / 4), dim3(64, 4)>>>(
            s.in, s.other, reinterpret_cast<float2*>(s.out), high);
      },
      [&] {
        return within(s, 2 * cells, 1e-3, [high](std::size_t i) {
          const auto at = [&](bool second, std::size_t dx, std::size_t dy) {
            const std::size_t h = static_cast<std::size_t>(high),
                              x = (i / 2 % kStencilsWide + kStencilsWide + dx - 1) % kStencilsWide,
                              y = (i / 2 / kStencilsWide + h + dy - 1) % h;
            return double{second ? other_of(y * kStencilsWide + x) : float_of(y * kStencilsWide + x)};
          };
          const auto spread = [&](bool f) {
            double sum = -at(f, 1, 1);
            for (std::size_t k = 0; k < 9; ++k)
              if (k != 4) sum += (k % 2 == 1 ? 0.2 : 0.05) * at(f, k % 3, k / 3);
            return sum;
          };
          const double a = at(false, 1, 1), b = at(true, 1, 1), met = 0.01 * a * b * b;
          return i % 2 == 0 ? a + 0.5 * spread(false) - met + 0.055 * (1 - a)
                            : b + 0.25 * spread(true) + met - 0.117 * b;
        });
      });
  const float here[5] = {-2.5f, 1.25f, -0.5f, 0.25f, -0.0625f};
  ladder::check(cudaMemcpyToSymbol(weights, here, sizeof weights), "weights");
  const int depth = static_cast<int>(s.n / 8 / (kStencilsSide * kStencilsSide) / kPlanes * kPlanes);
  const std::size_t points = std::size_t{kStencilsSide * kStencilsSide} * static_cast<std::size_t>(depth);
  s.run(
      "twenty-five points of a volume from plane to plane", 8.0 * real(points),
      [&] {
        twenty_five<<<dim3(kStencilsSide / 32, kStencilsSide / 16, depth / kPlanes), dim3(32, 16)>>>(
            s.in, s.out, depth);
      },
      [&] {
        return within(s, points, 1e-3, [&](std::size_t i) {
          const long x = static_cast<long>(i % kStencilsSide),
                     y = static_cast<long>(i / kStencilsSide % kStencilsSide),
                     z = static_cast<long>(i / (kStencilsSide * kStencilsSide));
          double sum = 0;
          for (long d = -4; d <= 4; ++d)
            for (int axis = 0; axis < 3; ++axis) {
              if (d == 0 && axis > 0) continue;
              const long cx = x + (axis == 0) * d, cy = y + (axis == 1) * d, cz = z + (axis == 2) * d;
              if (cx >= 0 && cy >= 0 && cz >= 0 && cx < kStencilsSide && cy < kStencilsSide && cz < depth)
                sum += double{here[std::abs(d)]} *
                       float_of(static_cast<std::size_t>((cz * kStencilsSide + cy) * kStencilsSide + cx));
            }
          return sum;
        });
      });
}

}  // namespace held_out_7

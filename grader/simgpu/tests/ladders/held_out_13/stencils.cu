/// @file
/// Neighbours: bytes smoothed out of words, a volume of doubles in tiles of shared memory, a line's heat by
/// shuffles, greatest halves of windows by pairs.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kSmoothWide = 2048;
/// Four pixels of a row; beyond the picture are the edge's.
__global__ void __launch_bounds__(256) smooth_bytes(const unsigned char* in, unsigned* out, unsigned high) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= high) return;
  unsigned columns[6] = {};
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy) {
    const int row = min(max(static_cast<int>(y) + dy, 0), static_cast<int>(high) - 1);
    const unsigned char* line = in + static_cast<unsigned>(row) * kSmoothWide;
    const unsigned word = *reinterpret_cast<const unsigned*>(line + 4 * x);
    columns[0] += x > 0 ? line[4 * x - 1] : word & 255;
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) columns[1 + k] += word >> (8 * k) & 255;
    columns[5] += 4 * x + 4 < kSmoothWide ? line[4 * x + 4] : word >> 24;
  }
  unsigned result = 0;
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) result |= (columns[k] + columns[k + 1] + columns[k + 2]) / 9 << (8 * k);
  out[y * (kSmoothWide / 4) + x] = result;
}

constexpr unsigned kVolumeSide = 64, kCube = 8, kCubeRim = kCube + 2;
constexpr std::size_t kPlane = std::size_t{kVolumeSide} * kVolumeSide;
/// Nought beyond the volume.
__global__ void __launch_bounds__(kCube* kCube* kCube)
    mean_in_cubes(const double* in, double* out, unsigned deep) {
  __shared__ double cube[kCubeRim][kCubeRim][kCubeRim];
  const unsigned tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  const int x0 = static_cast<int>(blockIdx.x * kCube), y0 = static_cast<int>(blockIdx.y * kCube),
            z0 = static_cast<int>(blockIdx.z * kCube);
  for (unsigned k = (tz * kCube + ty) * kCube + tx; k < kCubeRim * kCubeRim * kCubeRim;
       k += kCube * kCube * kCube) {
    const int x = x0 + static_cast<int>(k % kCubeRim) - 1,
              y = y0 + static_cast<int>(k / kCubeRim % kCubeRim) - 1,
              z = z0 + static_cast<int>(k / (kCubeRim * kCubeRim)) - 1;
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < static_cast<int>(kVolumeSide) &&
                        y < static_cast<int>(kVolumeSide) && z < static_cast<int>(deep);
    (&cube[0][0][0])[k] =
        inside ? in[(z * static_cast<int>(kVolumeSide) + y) * static_cast<int>(kVolumeSide) + x] : 0.0;
  }
  __syncthreads();
  const double around = cube[tz][ty + 1][tx + 1] + cube[tz + 2][ty + 1][tx + 1] + cube[tz + 1][ty][tx + 1] +
                        cube[tz + 1][ty + 2][tx + 1] + cube[tz + 1][ty + 1][tx] +
                        cube[tz + 1][ty + 1][tx + 2];
  out[((blockIdx.z * kCube + tz) * kVolumeSide + blockIdx.y * kCube + ty) * kVolumeSide + blockIdx.x * kCube +
      tx] = 0.5 * cube[tz + 1][ty + 1][tx + 1] + around * (1.0 / 12);
}

constexpr unsigned kHeatSteps = 8, kHeatOut = 128 - 2 * kHeatSteps;
constexpr float kHeatPart = 0.2f;
__device__ __forceinline__ float warmed(float left, float here, float right) {
  return here + kHeatPart * (left + right - 2.0f * here);
}
/// A warp reads 128 points, and has 112 right when eight steps are done.
__global__ void __launch_bounds__(256) heat_by_shuffles(const float* in, float* out, unsigned warps) {
  const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= warps) return;
  float4 v = *reinterpret_cast<const float4*>(in + warp * kHeatOut + 4 * lane);
#pragma unroll
  for (unsigned step = 0; step < kHeatSteps; ++step) {
    const float before = __shfl_up_sync(~0u, v.w, 1), after = __shfl_down_sync(~0u, v.x, 1);
    v = make_float4(warmed(before, v.x, v.y), warmed(v.x, v.y, v.z), warmed(v.y, v.z, v.w),
                    warmed(v.z, v.w, after));
  }
  constexpr unsigned kRimLanes = kHeatSteps / 4;
  if (lane >= kRimLanes && lane < 32 - kRimLanes)
    *reinterpret_cast<float4*>(out + warp * kHeatOut + 4 * (lane - kRimLanes)) = v;
}

constexpr unsigned kHalfWindow = 17;
/// Two windows a thread that have sixteen halves in common.
__global__ void __launch_bounds__(256) greatest_halves(const __half2* in, __half2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const __half2 first = in[i], last = in[i + kHalfWindow / 2];
  __half2 inner = in[i + 1];
#pragma unroll
  for (unsigned k = 2; k < kHalfWindow / 2; ++k) inner = __hmax2(inner, in[i + k]);
  const __half both =
      __hmax(__hmax(__low2half(inner), __high2half(inner)), __hmax(__high2half(first), __low2half(last)));
  out[i] = __halves2half2(__hmax(both, __low2half(first)), __hmax(both, __high2half(last)));
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 4 / kSmoothWide);
  s.run(
      "bytes smoothed by 3 x 3 without shared memory, four a thread", 2.0 * kSmoothWide * high,
      [&] {
        smooth_bytes<<<dim3(kSmoothWide / 4 / 64, Set::blocks(high, 4)), dim3(64, 4)>>>(
            reinterpret_cast<const unsigned char*>(s.words), s.numbers(), high);
      },
      [&] {
        return Set::each(std::size_t{kSmoothWide} * high, [&](std::size_t i) {
          const long x = static_cast<long>(i % kSmoothWide), y = static_cast<long>(i / kSmoothWide);
          unsigned sum = 0;
          for (long dy = -1; dy <= 1; ++dy)
            for (long dx = -1; dx <= 1; ++dx) {
              const long u = std::clamp(x + dx, 0L, long{kSmoothWide} - 1),
                         v = std::clamp(y + dy, 0L, long{high} - 1);
              sum += byte_of(static_cast<std::size_t>(v * long{kSmoothWide} + u));
            }
          return s.byte(i) == sum / 9;
        });
      });

  const unsigned deep = as_number(n / 28 / kPlane / kCube * kCube);
  s.run(
      "six around of a volume of doubles, cubes of 8 with their rims", 16.0 * real(kPlane) * deep,
      [&] {
        mean_in_cubes<<<dim3(kVolumeSide / kCube, kVolumeSide / kCube, deep / kCube),
                        dim3(kCube, kCube, kCube)>>>(reinterpret_cast<const double*>(s.in),
                                                     reinterpret_cast<double*>(s.out), deep);
      },
      [&] {
        return doubles(s, kPlane * deep, [&](std::size_t i) {
          const std::size_t x = i % kVolumeSide, y = i / kVolumeSide % kVolumeSide, z = i / kPlane;
          double around = 0;
          if (x > 0) around += double_of(i - 1);
          if (x + 1 < kVolumeSide) around += double_of(i + 1);
          if (y > 0) around += double_of(i - kVolumeSide);
          if (y + 1 < kVolumeSide) around += double_of(i + kVolumeSide);
          if (z > 0) around += double_of(i - kPlane);
          if (z + 1 < deep) around += double_of(i + kPlane);
          return 0.5 * double_of(i) + around / 12;
        });
      });

  const unsigned warps = as_number(n / 4 / kHeatOut);
  s.run(
      "eight steps of heat along a line by shuffles, four points a lane", 8.0 * kHeatOut * warps,
      [&] { heat_by_shuffles<<<Set::blocks(std::size_t{warps} * 32), 256>>>(s.in, s.out, warps); },
      [&] {
        return floats(s, std::size_t{kHeatOut} * warps, [](std::size_t i) {
          std::vector<double> line(2 * kHeatSteps + 1);
          for (std::size_t k = 0; k < line.size(); ++k) line[k] = float_of(i + k);
          for (unsigned step = 0; step < kHeatSteps; ++step) {
            auto next = line;
            for (std::size_t k = 1; k + 1 < line.size(); ++k)
              next[k] = line[k] + double{kHeatPart} * (line[k - 1] + line[k + 1] - 2 * line[k]);
            line = next;
          }
          return line[kHeatSteps];
        });
      });

  const std::size_t pairs = n / 4;
  s.run(
      "greatest of seventeen halves in a row, two windows a thread", 8.0 * real(pairs),
      [&] {
        greatest_halves<<<Set::blocks(pairs), 256>>>(reinterpret_cast<const __half2*>(s.halves),
                                                     reinterpret_cast<__half2*>(s.out), pairs);
      },
      [&] {
        const auto* got = reinterpret_cast<const __half*>(s.out);
        return Set::each(2 * pairs, [&](std::size_t i) {
          float greatest = 0;
          for (std::size_t k = 0; k < kHalfWindow; ++k) greatest = std::max(greatest, half_of(i + k));
          return __half2float(Checked::at(got, i)) == greatest;
        });
      });
}

}  // namespace held_out_13

/// @file
/// Neighbours: eleven weights along a line, corners of squares in a plane, all 27 around in a volume's tiles,
/// nine along a volume's depth in registers.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kElevenWeights = 11, kLineTile = 1024;
__constant__ float eleven_weights[kElevenWeights];
float eleven_weight(std::size_t k) {
  return 0.02f + 0.03f * static_cast<float>(k < 6 ? k : 10 - k);
}
/// Four sums of a thread need fourteen values in a row, which it reads as vectors.
__global__ void __launch_bounds__(256) eleven_on_a_line(const float4* in, float4* out) {
  __shared__ float4 tile[kLineTile / 4 + 3];
  const unsigned t = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * (kLineTile / 4);
  tile[t] = in[first + t];
  if (t < 3) tile[kLineTile / 4 + t] = in[first + kLineTile / 4 + t];
  __syncthreads();
  float v[16], sums[4] = {};
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) {
    const float4 four = tile[t + k];
    v[4 * k] = four.x;
    v[4 * k + 1] = four.y;
    v[4 * k + 2] = four.z;
    v[4 * k + 3] = four.w;
  }
#pragma unroll
  for (unsigned j = 0; j < 4; ++j)
#pragma unroll
    for (unsigned k = 0; k < kElevenWeights; ++k) sums[j] += eleven_weights[k] * v[j + k];
  out[first + t] = make_float4(sums[0], sums[1], sums[2], sums[3]);
}

constexpr unsigned kCornersWide = 1792, kCornersAway = 2;
/// Beyond the edges lies what is at the edges.
__global__ void __launch_bounds__(256) mean_with_corners(const float* in, float* out, unsigned high) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (y >= high) return;
  const unsigned left = x < kCornersAway ? 0 : x - kCornersAway,
                 right = min(x + kCornersAway, kCornersWide - 1),
                 up = y < kCornersAway ? 0 : y - kCornersAway, down = min(y + kCornersAway, high - 1);
  const float above = __ldg(in + up * kCornersWide + left) + __ldg(in + up * kCornersWide + right),
              below = __ldg(in + down * kCornersWide + left) + __ldg(in + down * kCornersWide + right);
  out[y * kCornersWide + x] = 0.2f * (__ldg(in + y * kCornersWide + x) + (above + below));
}

constexpr unsigned kCubeX = 128, kCubeY = 64, kCubeTileX = 32, kCubeTile = 4;
constexpr std::size_t kCubePlane = std::size_t{kCubeX} * kCubeY;
constexpr float kCubePart = 1.0f / 27;
/// Beyond the volume is nought.
__global__ void __launch_bounds__(kCubeTileX* kCubeTile* kCubeTile)
    mean_of_27(const float* in, float* out, unsigned planes) {
  constexpr unsigned kRimX = kCubeTileX + 2, kRim = kCubeTile + 2;
  __shared__ float tile[kRim][kRim][kRimX];
  const unsigned x0 = blockIdx.x * kCubeTileX, y0 = blockIdx.y * kCubeTile, z0 = blockIdx.z * kCubeTile;
  const unsigned t = threadIdx.x + kCubeTileX * (threadIdx.y + kCubeTile * threadIdx.z);
  for (unsigned k = t; k < kRim * kRim * kRimX; k += kCubeTileX * kCubeTile * kCubeTile) {
    const unsigned tx = k % kRimX, ty = k / kRimX % kRim, tz = k / (kRimX * kRim);
    // Counted from one, so that what is left of nought is nought.
    const unsigned x = x0 + tx, y = y0 + ty, z = z0 + tz;
    const bool inside = x > 0 && x <= kCubeX && y > 0 && y <= kCubeY && z > 0 && z <= planes;
    tile[tz][ty][tx] = inside ? in[(z - 1) * kCubePlane + (y - 1) * kCubeX + x - 1] : 0.0f;
  }
  __syncthreads();
  if (z0 + threadIdx.z >= planes) return;
  float sum = 0.0f;
#pragma unroll
  for (unsigned z = 0; z < 3; ++z)
#pragma unroll
    for (unsigned y = 0; y < 3; ++y)
#pragma unroll
      for (unsigned x = 0; x < 3; ++x) sum += tile[threadIdx.z + z][threadIdx.y + y][threadIdx.x + x];
  out[(z0 + threadIdx.z) * kCubePlane + (y0 + threadIdx.y) * kCubeX + x0 + threadIdx.x] = kCubePart * sum;
}

constexpr unsigned kDepthPlane = 8192, kDepthChunk = 14, kDepthAway = 4, kDepthQueue = 2 * kDepthAway + 1;
__host__ __device__ __forceinline__ constexpr float depth_weight(unsigned k) {
  return k == 4 ? 0.3f : k == 3 || k == 5 ? 0.2f : k == 2 || k == 6 ? 0.1f : k == 1 || k == 7 ? 0.04f : 0.01f;
}
/// Each thread goes down fourteen planes at its place; before the first and after the last plane is nought.
__global__ void __launch_bounds__(128) nine_along_depth(const float* in, float* out, unsigned planes) {
  const unsigned place = blockIdx.x * 128 + threadIdx.x, z0 = blockIdx.y * kDepthChunk;
  const auto at = [&](unsigned z_and_away) {  // counted from the fourth before the first
    const unsigned z = z_and_away - kDepthAway;
    return z_and_away >= kDepthAway && z < planes ? in[std::size_t{z} * kDepthPlane + place] : 0.0f;
  };
  float queue[kDepthQueue];
#pragma unroll
  for (unsigned k = 0; k + 1 < kDepthQueue; ++k) queue[k + 1] = at(z0 + k);
#pragma unroll
  for (unsigned z = 0; z < kDepthChunk; ++z) {
#pragma unroll
    for (unsigned k = 0; k + 1 < kDepthQueue; ++k) queue[k] = queue[k + 1];
    queue[kDepthQueue - 1] = at(z0 + z + kDepthQueue - 1);
    float sum = 0.0f;
#pragma unroll
    for (unsigned k = 0; k < kDepthQueue; ++k) sum += depth_weight(k) * queue[k];
    if (z0 + z < planes) out[std::size_t{z0 + z} * kDepthPlane + place] = sum;
  }
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  float weights[kElevenWeights];
  for (unsigned k = 0; k < kElevenWeights; ++k) weights[k] = eleven_weight(k);
  ladder::check(cudaMemcpyToSymbol(eleven_weights, weights, sizeof weights), "constants");
  const unsigned on_line = as_number(n / 8 / kLineTile * kLineTile);
  s.run(
      "eleven weights of constant memory along a line, four points a thread", 8.0 * on_line,
      [&] {
        eleven_on_a_line<<<on_line / kLineTile, 256>>>(reinterpret_cast<const float4*>(s.in), s.vectors());
      },
      [&] {
        return floats(s, on_line, [](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kElevenWeights; ++k) sum += double{eleven_weight(k)} * float_of(i + k);
          return sum;
        });
      });

  const unsigned high = as_number(n / 16 / kCornersWide);
  s.run(
      "means with the corners of squares of side five, no shared memory", 8.0 * kCornersWide * high,
      [&] {
        mean_with_corners<<<dim3(kCornersWide / 32, Set::blocks(high, 8)), dim3(32, 8)>>>(s.in, s.out, high);
      },
      [&] {
        return floats(s, std::size_t{kCornersWide} * high, [&](std::size_t i) {
          const auto within_line = [](std::size_t at, std::size_t wide, bool forward) {
            return forward             ? std::min(at + kCornersAway, wide - 1)
                   : at < kCornersAway ? 0
                                       : at - kCornersAway;
          };
          const std::size_t x = i % kCornersWide, y = i / kCornersWide;
          double sum = float_of(i);
          for (const bool down : {false, true})
            for (const bool right : {false, true})
              sum +=
                  float_of(within_line(y, high, down) * kCornersWide + within_line(x, kCornersWide, right));
          return 0.2 * sum;
        });
      });

  const unsigned cube_planes = as_number(n / 16 / kCubePlane);
  s.run(
      "means of 27 in a volume, tiles of 32 x 4 x 4", 8.0 * real(kCubePlane) * cube_planes,
      [&] {
        mean_of_27<<<dim3(kCubeX / kCubeTileX, kCubeY / kCubeTile, Set::blocks(cube_planes, kCubeTile)),
                     dim3(kCubeTileX, kCubeTile, kCubeTile)>>>(s.in, s.out, cube_planes);
      },
      [&] {
        return floats(s, kCubePlane * cube_planes, [&](std::size_t i) {
          const long x = static_cast<long>(i % kCubeX), y = static_cast<long>(i / kCubeX % kCubeY),
                     z = static_cast<long>(i / kCubePlane);
          double sum = 0;
          for (long w = z - 1; w <= z + 1; ++w)
            for (long v = y - 1; v <= y + 1; ++v)
              for (long u = x - 1; u <= x + 1; ++u)
                if (w >= 0 && w < static_cast<long>(cube_planes) && v >= 0 && v < kCubeY && u >= 0 &&
                    u < kCubeX)
                  sum += float_of(static_cast<std::size_t>((w * kCubeY + v) * kCubeX + u));
          return sum / 27;
        });
      });

  const unsigned depth_planes = as_number(n / 8 / kDepthPlane);
  s.run(
      "nine along the depth of a volume, in a queue of registers", 8.0 * kDepthPlane * depth_planes,
      [&] {
        nine_along_depth<<<dim3(kDepthPlane / 128, Set::blocks(depth_planes, kDepthChunk)), 128>>>(
            s.in, s.out, depth_planes);
      },
      [&] {
        return floats(s, std::size_t{kDepthPlane} * depth_planes, [&](std::size_t i) {
          const std::size_t z = i / kDepthPlane, place = i % kDepthPlane;
          double sum = 0;
          for (unsigned k = 0; k < kDepthQueue; ++k)
            if (z + k >= kDepthAway && z + k - kDepthAway < depth_planes)
              sum += double{depth_weight(k)} * float_of((z + k - kDepthAway) * kDepthPlane + place);
          return sum;
        });
      });
}

}  // namespace held_out_14

/// @file
/// Stencils and filters: lines moved on with limited slopes, a picture of bytes smoothed by 5 x 5 in a tile,
/// how steep a volume is at each point.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kMovedLine = 4096;
constexpr float kMoved = 0.4f;  ///< cells a step
__host__ __device__ __forceinline__ float limited(float a, float b) {
  if (a * b <= 0.0f) return 0.0f;
  return fabsf(a) < fabsf(b) ? a : b;
}
/// What flows out of the middle one of three cells to the right.
__host__ __device__ __forceinline__ float outflow(float left, float middle, float right) {
  return middle + 0.5f * (1.0f - kMoved) * limited(middle - left, right - middle);
}
/// Each line goes on at its other end.
__global__ void move_lines(const float* in, float* out) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const float* line = in + blockIdx.y * std::size_t{kMovedLine};
  const float a = line[(x + kMovedLine - 2) % kMovedLine], b = line[(x + kMovedLine - 1) % kMovedLine],
              c = line[x], d = line[(x + 1) % kMovedLine];
  out[blockIdx.y * std::size_t{kMovedLine} + x] = c - kMoved * (outflow(b, c, d) - outflow(a, b, c));
}

constexpr int kSmoothedWide = 1024, kTileWide = 32, kTileHigh = 8, kRim = 2;
/// Weights 1, 4, 6, 4, 1 both ways; the edge's pixels go on outside.
__global__ void __launch_bounds__(256) smooth_bytes(const unsigned char* in, unsigned char* out, int high) {
  __shared__ unsigned char tile[kTileHigh + 2 * kRim][kTileWide + 2 * kRim];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y),
            x0 = static_cast<int>(blockIdx.x) * kTileWide - kRim,
            y0 = static_cast<int>(blockIdx.y) * kTileHigh - kRim;
  for (int y = ty; y < kTileHigh + 2 * kRim; y += kTileHigh)
    for (int x = tx; x < kTileWide + 2 * kRim; x += kTileWide)
      tile[y][x] = in[min(max(y0 + y, 0), high - 1) * kSmoothedWide + min(max(x0 + x, 0), kSmoothedWide - 1)];
  __syncthreads();
  constexpr int kWeights[5] = {1, 4, 6, 4, 1};
  int sum = 128;
#pragma unroll
  for (int y = 0; y < 5; ++y)
#pragma unroll
    for (int x = 0; x < 5; ++x) sum += kWeights[y] * kWeights[x] * tile[ty + y][tx + x];
  out[(y0 + kRim + ty) * kSmoothedWide + x0 + kRim + tx] = static_cast<unsigned char>(sum >> 8);
}

constexpr int kSteepSide = 128;
/// From the six neighbours; at an edge the point itself is one of them.
__global__ void steepness(const float* volume, float* out) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y), z = static_cast<int>(blockIdx.z),
            deep = static_cast<int>(gridDim.z);
  const auto at = [&](int px, int py, int pz) { return volume[(pz * kSteepSide + py) * kSteepSide + px]; };
  const float dx = at(min(x + 1, kSteepSide - 1), y, z) - at(max(x - 1, 0), y, z),
              dy = at(x, min(y + 1, kSteepSide - 1), z) - at(x, max(y - 1, 0), z),
              dz = at(x, y, min(z + 1, deep - 1)) - at(x, y, max(z - 1, 0));
  out[(z * kSteepSide + y) * kSteepSide + x] = 0.5f * sqrtf(dx * dx + dy * dy + dz * dz);
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned lines = as_number(n / 8 / kMovedLine);
  s.run(
      "lines moved on with limited slopes", 8.0 * kMovedLine * lines,
      [&] { move_lines<<<dim3(kMovedLine / 256, lines), 256>>>(s.in, s.out); },
      [&] {
        return within(s, std::size_t{kMovedLine} * lines, 1e-4, [](std::size_t i) {
          const auto cell = [&](std::size_t by) {
            return float_of(i / kMovedLine * kMovedLine + (i + kMovedLine + by - 2) % kMovedLine);
          };
          const float a = cell(0), b = cell(1), c = cell(2), d = cell(3);
          return c - double{kMoved} * (double{outflow(b, c, d)} - outflow(a, b, c));
        });
      });
  const int high = static_cast<int>(n / 16 / kSmoothedWide / kTileHigh * kTileHigh);
  s.run(
      "bytes smoothed by 5 x 5 in a tile", 2.0 * kSmoothedWide * high,
      [&] {
        smooth_bytes<<<dim3(kSmoothedWide / kTileWide, static_cast<unsigned>(high / kTileHigh)),
                       dim3(kTileWide, kTileHigh)>>>(reinterpret_cast<const unsigned char*>(s.words),
                                                     reinterpret_cast<unsigned char*>(s.out), high);
      },
      [&] {
        return Set::each(static_cast<std::size_t>(kSmoothedWide * high), [&](std::size_t i) {
          constexpr unsigned kWeights[5] = {1, 4, 6, 4, 1};
          const int x0 = static_cast<int>(i) % kSmoothedWide - kRim,
                    y0 = static_cast<int>(i) / kSmoothedWide - kRim;
          unsigned sum = 128;
          for (int k = 0; k < 25; ++k) {
            const int x = std::clamp(x0 + k % 5, 0, kSmoothedWide - 1),
                      y = std::clamp(y0 + k / 5, 0, high - 1);
            sum +=
                kWeights[k % 5] * kWeights[k / 5] * byte_of(static_cast<std::size_t>(y * kSmoothedWide + x));
          }
          return s.byte(i) == sum >> 8;
        });
      });
  const auto deep = static_cast<long>(n / 16 / (kSteepSide * kSteepSide));
  s.run(
      "steepness of a volume at each point", 8.0 * kSteepSide * kSteepSide * static_cast<double>(deep),
      [&] {
        steepness<<<dim3(kSteepSide / 32, kSteepSide / 8, static_cast<unsigned>(deep)), dim3(32, 8)>>>(s.in,
                                                                                                       s.out);
      },
      [&] {
        return within(s, static_cast<std::size_t>(deep) * kSteepSide * kSteepSide, 1e-3, [&](std::size_t i) {
          const auto all = static_cast<long>(i);
          const long x = all % kSteepSide, y = all / kSteepSide % kSteepSide,
                     z = all / (kSteepSide * kSteepSide);
          const auto at = [&](long px, long py, long pz) {
            px = std::clamp(px, 0L, kSteepSide - 1L), py = std::clamp(py, 0L, kSteepSide - 1L);
            pz = std::clamp(pz, 0L, deep - 1);
            return double{float_of(static_cast<std::size_t>((pz * kSteepSide + py) * kSteepSide + px))};
          };
          const double dx = at(x + 1, y, z) - at(x - 1, y, z), dy = at(x, y + 1, z) - at(x, y - 1, z),
                       dz = at(x, y, z + 1) - at(x, y, z - 1);
          return 0.5 * std::sqrt(dx * dx + dy * dy + dz * dz);
        });
      });
}

}  // namespace held_out_9

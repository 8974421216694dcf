/// @file
/// Stencils: thirteen points on a plate as they lie in global memory, nineteen of a volume out of a tile of
/// three planes.
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

constexpr int kBentWide = 2048;
/// Two rows and columns at each edge stay as they are.
__global__ void bend_plate(const float* in, float* out, int high) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (y >= high) return;
  const float* at = in + y * kBentWide + x;
  float bent = at[0];
  if (x >= 2 && x < kBentWide - 2 && y >= 2 && y < high - 2) {
    const float next = at[-1] + at[1] + at[-kBentWide] + at[kBentWide],
                across = at[-kBentWide - 1] + at[-kBentWide + 1] + at[kBentWide - 1] + at[kBentWide + 1],
                far = at[-2] + at[2] + at[-2 * kBentWide] + at[2 * kBentWide];
    bent -= 0.01f * (20 * at[0] - 8 * next + 2 * across + far);
  }
  out[y * kBentWide + x] = bent;
}

constexpr int kMixedSide = 96, kMixedX = 32, kMixedY = 8;
/// Beyond its sides the volume goes on as it is there.
__global__ void mix_nineteen(const float* in, float* out, int deep) {
  __shared__ float tile[3][kMixedY + 2][kMixedX + 2];
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x0 = static_cast<int>(blockIdx.x) * kMixedX, y0 = static_cast<int>(blockIdx.y) * kMixedY,
            z0 = static_cast<int>(blockIdx.z);
  for (int w = 0; w < 3; ++w) {
    const int z = min(max(z0 + w - 1, 0), deep - 1);
    for (int v = ty; v < kMixedY + 2; v += kMixedY)
      for (int u = tx; u < kMixedX + 2; u += kMixedX) {
        const int x = min(max(x0 + u - 1, 0), kMixedSide - 1), y = min(max(y0 + v - 1, 0), kMixedSide - 1);
        tile[w][v][u] = in[(z * kMixedSide + y) * kMixedSide + x];
      }
  }
  __syncthreads();
  float faces = 0.0f, edges = 0.0f;
#pragma unroll
  for (int w = -1; w <= 1; ++w)
#pragma unroll
    for (int v = -1; v <= 1; ++v)
#pragma unroll
      for (int u = -1; u <= 1; ++u) {
        const int off = u * u + v * v + w * w;
        if (off == 1) faces += tile[w + 1][ty + 1 + v][tx + 1 + u];
        if (off == 2) edges += tile[w + 1][ty + 1 + v][tx + 1 + u];
      }
  out[(z0 * kMixedSide + y0 + ty) * kMixedSide + x0 + tx] =
      0.4f * tile[1][ty + 1][tx + 1] + 0.05f * faces + 0.025f * edges;
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const int high = static_cast<int>(n / 8 / kBentWide);
  s.run(
      "thirteen points on a plate that bends", 8.0 * kBentWide * high,
      [&] {
        bend_plate<<<dim3(kBentWide / 64, Set::blocks(static_cast<std::size_t>(high), 4)), dim3(64, 4)>>>(
            s.in, s.out, high);
      },
      [&] {
        return within(s, static_cast<std::size_t>(kBentWide * high), 1e-4, [&](std::size_t i) {
          const int x = static_cast<int>(i) % kBentWide, y = static_cast<int>(i) / kBentWide;
          const auto at = [&](int u, int v) {
            return double{float_of(static_cast<std::size_t>((y + v) * kBentWide + x + u))};
          };
          if (x < 2 || x >= kBentWide - 2 || y < 2 || y >= high - 2) return at(0, 0);
          double sum = 0;
          for (int v = -2; v <= 2; ++v)
            for (int u = -2; u <= 2; ++u) {
              const int off = std::abs(u) + std::abs(v);
              const bool straight = u == 0 || v == 0;
              sum += (off == 0 ? 20 : off == 1 ? -8 : off == 2 && straight ? 1 : off == 2 ? 2 : 0) * at(u, v);
            }
          return at(0, 0) - 0.01 * sum;
        });
      });
  constexpr std::size_t kMixedPlane = std::size_t{kMixedSide} * kMixedSide;
  const int deep = static_cast<int>(n / 8 / kMixedPlane);
  s.run(
      "nineteen points of a volume out of three planes", 8.0 * real(kMixedPlane) * deep,
      [&] {
        mix_nineteen<<<dim3(kMixedSide / kMixedX, kMixedSide / kMixedY, static_cast<unsigned>(deep)),
                       dim3(kMixedX, kMixedY)>>>(s.in, s.out, deep);
      },
      [&] {
        return floats(s, kMixedPlane * static_cast<std::size_t>(deep), [&](std::size_t i) {
          const int at = static_cast<int>(i), x = at % kMixedSide, y = at / kMixedSide % kMixedSide,
                    z = at / kMixedSide / kMixedSide;
          constexpr double kWeights[] = {0.4, 0.05, 0.025, 0};
          double sum = 0;
          for (int w = -1; w <= 1; ++w)
            for (int v = -1; v <= 1; ++v)
              for (int u = -1; u <= 1; ++u) {
                const int px = std::clamp(x + u, 0, kMixedSide - 1),
                          py = std::clamp(y + v, 0, kMixedSide - 1), pz = std::clamp(z + w, 0, deep - 1);
                sum += kWeights[u * u + v * v + w * w] *
                       float_of(static_cast<std::size_t>((pz * kMixedSide + py) * kMixedSide + px));
              }
          return sum;
        });
      });
}

}  // namespace held_out_11

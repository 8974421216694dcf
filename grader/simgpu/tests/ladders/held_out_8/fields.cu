/// @file
/// Arrays passed over. Stencils: the curl of three fields of a volume, a picture blurred both ways within one
/// tile. Streams: four planes of bytes made pixels, evens and odds parted. Structs: nodes of nine floats
/// relaxed, as structs and in packs of 32.
#include "held_out_8.hpp"

namespace held_out_8 {
namespace {

constexpr unsigned kBox = 64;
__device__ __forceinline__ unsigned cell(unsigned x, unsigned y, unsigned z) {
  return (z * kBox + y) * kBox + x;
}
/// Central differences; the volume repeats along all of its axes.
__global__ void curl(const float* __restrict__ u, const float* __restrict__ v, const float* __restrict__ w,
                     float* __restrict__ out, unsigned deep) {
  const unsigned x = threadIdx.x, y = blockIdx.x * blockDim.y + threadIdx.y, z = blockIdx.y;
  const unsigned left = (x + kBox - 1) % kBox, right = (x + 1) % kBox, up = (y + kBox - 1) % kBox,
                 down = (y + 1) % kBox, front = z == 0 ? deep - 1 : z - 1, back = z + 1 == deep ? 0 : z + 1;
  const std::size_t m = std::size_t{kBox} * kBox * deep, at = cell(x, y, z);
  out[at] = 0.5f * (w[cell(x, down, z)] - w[cell(x, up, z)] - v[cell(x, y, back)] + v[cell(x, y, front)]);
  out[m + at] =
      0.5f * (u[cell(x, y, back)] - u[cell(x, y, front)] - w[cell(right, y, z)] + w[cell(left, y, z)]);
  out[2 * m + at] =
      0.5f * (v[cell(right, y, z)] - v[cell(left, y, z)] - u[cell(x, down, z)] + u[cell(x, up, z)]);
}

constexpr int kPictureWide = 1024, kBlurred = 32, kHalo = 4, kWithHalo = kBlurred + 2 * kHalo;
__host__ __device__ __forceinline__ float blur_weight(int k) {
  constexpr float kWeights[9] = {1 / 256.0f,  8 / 256.0f,  28 / 256.0f, 56 / 256.0f, 70 / 256.0f,
                                 56 / 256.0f, 28 / 256.0f, 8 / 256.0f,  1 / 256.0f};
  return kWeights[k];
}
__global__ void __launch_bounds__(256) blur_both_ways(const float* in, float* out, int high) {
  __shared__ float tile[kWithHalo][kWithHalo], along[kWithHalo][kBlurred];
  const int x0 = blockIdx.x * kBlurred - kHalo, y0 = blockIdx.y * kBlurred - kHalo;
  const int t = threadIdx.y * 32 + threadIdx.x;
  for (int k = t; k < kWithHalo * kWithHalo; k += 256) {
    const int x = min(max(x0 + k % kWithHalo, 0), kPictureWide - 1),
              y = min(max(y0 + k / kWithHalo, 0), high - 1);
    tile[k / kWithHalo][k % kWithHalo] = in[y * kPictureWide + x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < kWithHalo; y += 8) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += blur_weight(k) * tile[y][threadIdx.x + k];
    along[y][threadIdx.x] = sum;
  }
  __syncthreads();
  for (int y = threadIdx.y; y < kBlurred; y += 8) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += blur_weight(k) * along[y + k][threadIdx.x];
    out[(y0 + kHalo + y) * kPictureWide + x0 + kHalo + threadIdx.x] = sum;
  }
}

__global__ void planes_to_pixels(const unsigned char* red, const unsigned char* green,
                                 const unsigned char* blue, const unsigned char* alpha, uchar4* pixels,
                                 unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) pixels[i] = make_uchar4(red[i], green[i], blue[i], alpha[i]);
}
__global__ void part_evens_and_odds(const float* in, float* evens, float* odds, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  evens[i] = in[2 * i];
  odds[i] = in[2 * i + 1];
}

/// Weights and directions of a lattice of nine.
__host__ __device__ __forceinline__ void relax(float (&f)[9]) {
  const float rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8];
  const float over = 1.0f / rho;
  const float ux = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) * over,
              uy = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) * over;
  const float rest = 1.0f - 1.5f * (ux * ux + uy * uy);
  const float cu[9] = {0, ux, uy, -ux, -uy, ux + uy, uy - ux, -ux - uy, ux - uy};
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    const float weight = k == 0 ? 4.0f / 9.0f : k < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
    const float even = weight * rho * (rest + cu[k] * (3.0f + 4.5f * cu[k]));
    f[k] += 0.8f * (even - f[k]);
  }
}
struct Node {
  float f[9];
};
__global__ void relax_structs(const Node* in, Node* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  Node node = in[i];
  relax(node.f);
  out[i] = node;
}
struct Pack {
  float f[9][32];
};
__global__ void relax_packs(const Pack* in, Pack* out, unsigned packs) {
  const unsigned pack = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (pack >= packs) return;
  float f[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) f[k] = in[pack].f[k][lane];
  relax(f);
#pragma unroll
  for (int k = 0; k < 9; ++k) out[pack].f[k][lane] = f[k];
}

}  // namespace

void fields(Set& s) {
  const std::size_t n = s.n;
  const std::size_t deep = n / 32 / (kBox * kBox), cells = kBox * kBox * deep;
  const float *u = s.in, *v = s.other, *w = s.in + n / 2;
  s.run(
      "curl of three fields of a volume", 24.0 * real(cells),
      [&] { curl<<<dim3(kBox / 4, as_number(deep)), dim3(kBox, 4)>>>(u, v, w, s.out, as_number(deep)); },
      [&] {
        return within(s, 3 * cells, 1e-4, [&](std::size_t i) {
          const std::size_t at = i % cells, x = at % kBox, y = at / kBox % kBox, z = at / (kBox * kBox);
          const auto place = [&](std::size_t dx, std::size_t dy, std::size_t dz) {
            return (((z + dz + deep - 1) % deep) * kBox + (y + dy + kBox - 1) % kBox) * kBox +
                   (x + dx + kBox - 1) % kBox;
          };
          const auto along = [&](int axis, const std::function<double(std::size_t)>& field) {
            const std::size_t dx = axis == 0, dy = axis == 1, dz = axis == 2;
            return 0.5 * (field(place(1 + dx, 1 + dy, 1 + dz)) - field(place(1 - dx, 1 - dy, 1 - dz)));
          };
          const std::function<double(std::size_t)> of[3] = {
              [](std::size_t k) { return float_of(k); }, [](std::size_t k) { return other_of(k); },
              [n](std::size_t k) { return float_of(k + n / 2); }};
          const std::size_t part = i / cells, next = (part + 1) % 3, last = (part + 2) % 3;
          return along(static_cast<int>(next), of[last]) - along(static_cast<int>(last), of[next]);
        });
      });
  const std::size_t rows = n / 16 / kPictureWide / kBlurred * kBlurred;
  const int high = static_cast<int>(rows);
  s.run(
      "picture blurred both ways in one tile", 8.0 * kPictureWide * high,
      [&] {
        blur_both_ways<<<dim3(kPictureWide / kBlurred, as_number(rows / kBlurred)), dim3(32, 8)>>>(
            s.in, s.out, high);
      },
      [&] {
        return floats(s, rows * kPictureWide, [high](std::size_t i) {
          const long x = static_cast<long>(i % kPictureWide), y = static_cast<long>(i / kPictureWide);
          double sum = 0;
          for (int dy = 0; dy < 9; ++dy)
            for (int dx = 0; dx < 9; ++dx) {
              const long px = std::clamp(x + dx - kHalo, 0L, kPictureWide - 1L),
                         py = std::clamp(y + dy - kHalo, 0L, high - 1L);
              sum += double{blur_weight(dx)} * blur_weight(dy) *
                     float_of(static_cast<std::size_t>(py * kPictureWide + px));
            }
          return sum;
        });
      });

  const unsigned pixels = as_number(n / 8);
  const auto* planes = reinterpret_cast<const unsigned char*>(s.words);
  s.run(
      "four planes of bytes made pixels", 8.0 * pixels,
      [&] {
        planes_to_pixels<<<Set::blocks(pixels), 256>>>(planes, planes + pixels, planes + 2 * pixels,
                                                       planes + 3 * std::size_t{pixels},
                                                       reinterpret_cast<uchar4*>(s.out), pixels);
      },
      [&] {
        return numbers(s, pixels, [pixels](std::size_t i) {
          unsigned pixel = 0;
          for (std::size_t k = 0; k < 4; ++k) pixel |= byte_of(k * pixels + i) << (8 * k);
          return pixel;
        });
      });
  const unsigned pairs = as_number(n / 8);
  s.run(
      "evens and odds parted by strided reads", 16.0 * pairs,
      [&] { part_evens_and_odds<<<Set::blocks(pairs, 128), 128>>>(s.in, s.out, s.out + pairs, pairs); },
      [&] {
        return floats(s, 2 * std::size_t{pairs}, [pairs](std::size_t i) {
          return double{float_of(i < pairs ? 2 * i : 2 * (i - pairs) + 1)};
        });
      });

  const unsigned nodes = as_number(n / 4 / 9);
  const auto relaxed = [](const std::function<std::size_t(std::size_t)>& place, std::size_t k) {
    float f[9];
    for (std::size_t j = 0; j < 9; ++j) f[j] = float_of(place(j));
    relax(f);
    return double{f[k]};
  };
  s.run(
      "nodes of nine floats relaxed as structs", 72.0 * nodes,
      [&] {
        relax_structs<<<Set::blocks(nodes), 256>>>(reinterpret_cast<const Node*>(s.in),
                                                   reinterpret_cast<Node*>(s.out), nodes);
      },
      [&] {
        return within(s, std::size_t{9} * nodes, 1e-3, [&](std::size_t i) {
          return relaxed([&](std::size_t j) { return i / 9 * 9 + j; }, i % 9);
        });
      });
  const unsigned packs = as_number(n / 4 / (9 * 32));
  s.run(
      "nodes of nine floats relaxed in packs of 32", 72.0 * 32 * packs,
      [&] {
        relax_packs<<<Set::blocks(packs * std::size_t{32}), 256>>>(reinterpret_cast<const Pack*>(s.in),
                                                                   reinterpret_cast<Pack*>(s.out), packs);
      },
      [&] {
        return within(s, std::size_t{9 * 32} * packs, 1e-3, [&](std::size_t i) {
          return relaxed([&](std::size_t j) { return i / 288 * 288 + j * 32 + i % 32; }, i / 32 % 9);
        });
      });
}

}  // namespace held_out_8

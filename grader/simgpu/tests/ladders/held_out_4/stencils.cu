/// @file
/// Neighbours: 27 points of a volume, water in three fields, colours from a mosaic, two fields in turn.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kX = 128, kY = 32;
__global__ void twenty_seven(const float* in, float* out, unsigned depth) {
  const unsigned x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  if (x == 0 || x + 1 >= kX || y == 0 || y + 1 >= kY || z == 0 || z + 1 >= depth) return;
  constexpr float weight[4] = {0.4f, 0.05f, 0.02f, 0.0075f};
  float sum = 0;
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx)
        sum += weight[dx * dx + dy * dy + dz * dz] * in[((z + dz) * kY + y + dy) * kX + x + dx];
  out[(z * kY + y) * kX + x] = sum;
}
/// Height of the water and what it carries in two directions.
template <typename Value>
struct Water {
  Value h, u, v;
};
template <typename Value>
__host__ __device__ __forceinline__ Water<Value> flown(Water<Value> e, Water<Value> w, Water<Value> n,
                                                       Water<Value> s) {
  const auto pressed = [](Value h, Value q) { return q * q / h + Value(0.5) * h * h; };
  const Value k = Value(0.02);
  return {(e.h + w.h + n.h + s.h) / 4 - k * (e.u - w.u + n.v - s.v),
          (e.u + w.u + n.u + s.u) / 4 -
              k * (pressed(e.h, e.u) - pressed(w.h, w.u) + n.u * n.v / n.h - s.u * s.v / s.h),
          (e.v + w.v + n.v + s.v) / 4 -
              k * (e.u * e.v / e.h - w.u * w.v / w.h + pressed(n.h, n.v) - pressed(s.h, s.v))};
}
constexpr unsigned kStencilsWidth = 512;
__global__ void water(const float* h, const float* u, const float* v, float* out, unsigned height) {
  const unsigned x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (y >= height) return;
  const auto at = [&](unsigned column, unsigned row) {
    const unsigned i = row * kStencilsWidth + column;
    return Water<float>{h[i], u[i], v[i]};
  };
  const Water<float> next =
      flown(at((x + 1) % kStencilsWidth, y), at((x + kStencilsWidth - 1) % kStencilsWidth, y),
            at(x, y + 1 == height ? 0 : y + 1), at(x, y == 0 ? height - 1 : y - 1));
  const std::size_t m = height * std::size_t{kStencilsWidth}, i = y * kStencilsWidth + x;
  out[i] = next.h, out[m + i] = next.u, out[2 * m + i] = next.v;
}
constexpr unsigned kPixels = 1024;
/// Of red and green in even rows, green and blue in odd ones: the two others from around. @p raw are nine,
/// row by row.
__host__ __device__ __forceinline__ unsigned colours_of(const unsigned* raw, unsigned x, unsigned y) {
  const unsigned self = raw[4], sides = (raw[3] + raw[5]) / 2, ends = (raw[1] + raw[7]) / 2,
                 corners = (raw[0] + raw[2] + raw[6] + raw[8]) / 4;
  unsigned r, g, b;
  if (x % 2 == y % 2) {
    g = (sides + ends) / 2;
    r = y % 2 == 0 ? self : corners, b = y % 2 == 0 ? corners : self;
  } else {
    g = self;
    r = y % 2 == 0 ? sides : ends, b = y % 2 == 0 ? ends : sides;
  }
  return r >> 8 | g >> 8 << 8 | b >> 8 << 16 | 255u << 24;
}
__global__ void from_mosaic(const unsigned short* in, unsigned* out, unsigned height) {
  const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x == 0 || x + 1 >= kPixels || y == 0 || y + 1 >= height) return;
  unsigned raw[9];
#pragma unroll
  for (unsigned k = 0; k < 9; ++k) raw[k] = in[(y - 1 + k / 3) * kPixels + x - 1 + k % 3];
  out[y * kPixels + x] = colours_of(raw, x, y);
}
constexpr float kStep = 0.4f;
__global__ void begin_fields(const float* in, float* e, float* hx, float* hy, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i < m) e[i] = in[i], hx[i] = 0, hy[i] = 0;
}
__global__ void magnetic(const float* e, float* hx, float* hy, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= m) return;
  if (i + kStencilsWidth < m) hx[i] -= kStep * (e[i + kStencilsWidth] - e[i]);
  if (i % kStencilsWidth + 1 < kStencilsWidth) hy[i] += kStep * (e[i + 1] - e[i]);
}
__global__ void electric(float* e, const float* hx, const float* hy, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= m || i < kStencilsWidth || i % kStencilsWidth == 0) return;
  e[i] += kStep * (hy[i] - hy[i - 1] - hx[i] + hx[i - kStencilsWidth]);
}

}  // namespace

void stencils(Set& s) {
  const std::size_t n = s.n;
  const unsigned depth = as_number(n / 16 / (kX * kY));
  s.run(
      "twenty-seven points of a volume", 0.5 * real(n),
      [&] { twenty_seven<<<dim3(kX / 64, kY / 4, depth), dim3(64, 4)>>>(s.in, s.out, depth); },
      [&] {
        // Only those inside.
        const std::size_t wide = kX - 2, high = kY - 2;
        return Set::each(wide * high * (depth - 2), [&](std::size_t k) {
          const std::size_t x = k % wide + 1, y = k / wide % high + 1, z = k / wide / high + 1;
          const double weight[4] = {0.4, 0.05, 0.02, 0.0075};
          double sum = 0;
          for (int d = 0; d < 27; ++d) {
            const int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
            sum +=
                weight[dx * dx + dy * dy + dz * dz] *
                float_of(((z + static_cast<std::size_t>(dz)) * kY + y + static_cast<std::size_t>(dy)) * kX +
                         x + static_cast<std::size_t>(dx));
          }
          return Set::near(s.value((z * kY + y) * kX + x), sum);
        });
      });
  const std::size_t m = n / 32;
  const unsigned height = as_number(m / kStencilsWidth);
  s.run(
      "step of water in three fields", 24.0 * real(m),
      [&] {
        water<<<dim3(kStencilsWidth / 64, Set::blocks(height, 4)), dim3(64, 4)>>>(s.in, s.other, s.in + n / 2,
                                                                                  s.out, height);
      },
      [&] {
        return within(s, 3 * m, 1e-3, [&](std::size_t k) {
          const std::size_t x = k % m % kStencilsWidth, y = k % m / kStencilsWidth;
          const auto at = [&](std::size_t column, std::size_t row) {
            const std::size_t i = row % height * kStencilsWidth + column % kStencilsWidth;
            return Water<double>{float_of(i), other_of(i), float_of(n / 2 + i)};
          };
          const auto next =
              flown(at(x + 1, y), at(x + kStencilsWidth - 1, y), at(x, y + 1), at(x, y + height - 1));
          return k < m ? next.h : k < 2 * m ? next.u : next.v;
        });
      });
  const std::size_t pixels = n / 16;
  const unsigned high = as_number(pixels / kPixels);
  s.run(
      "colours from a mosaic", 6.0 * real(pixels),
      [&] {
        from_mosaic<<<dim3(kPixels / 32, Set::blocks(high, 8)), dim3(32, 8)>>>(
            reinterpret_cast<unsigned short*>(s.words), s.numbers(), high);
      },
      [&] {
        const std::size_t wide = kPixels - 2;
        return Set::each(wide * (high - 2), [&](std::size_t k) {
          const unsigned x = as_number(k % wide + 1), y = as_number(k / wide + 1);
          unsigned raw[9];
          for (std::size_t j = 0; j < 9; ++j) {
            const std::size_t i = (y - 1 + j / 3) * kPixels + x - 1 + j % 3;
            raw[j] = word_of(i / 2) >> 16 * (i % 2) & 0xffff;
          }
          return s.number(y * std::size_t{kPixels} + x) == colours_of(raw, x, y);
        });
      });
  const unsigned cells = as_number(n / 256);
  s.run(
      "two fields in turn, four steps", (16.0 + 4 * 44.0) * cells,
      [&] {
        float *e = s.out, *hx = s.out + n / 4, *hy = s.out + n / 2;
        begin_fields<<<Set::blocks(cells), 256>>>(s.in, e, hx, hy, cells);
        for (int step = 0; step < 4; ++step) {
          magnetic<<<Set::blocks(cells), 256>>>(e, hx, hy, cells);
          electric<<<Set::blocks(cells), 256>>>(e, hx, hy, cells);
        }
      },
      [&] {
        std::vector<float> e(cells), hx(cells), hy(cells);
        for (std::size_t i = 0; i < cells; ++i) e[i] = float_of(i);
        for (int step = 0; step < 4; ++step) {
          for (std::size_t i = 0; i < cells; ++i) {
            if (i + kStencilsWidth < cells) hx[i] -= kStep * (e[i + kStencilsWidth] - e[i]);
            if (i % kStencilsWidth + 1 < kStencilsWidth) hy[i] += kStep * (e[i + 1] - e[i]);
          }
          for (std::size_t i = kStencilsWidth; i < cells; ++i)
            if (i % kStencilsWidth != 0) e[i] += kStep * (hy[i] - hy[i - 1] - hx[i] + hx[i - kStencilsWidth]);
        }
        return within(s, cells, 1e-3, [&](std::size_t i) { return double{e[i]}; });
      });
}

}  // namespace held_out_4

/// @file
/// Threads that part: Newton's steps to the roots of one, points in polygons of unequal corners, words against
/// patterns with stars.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr int kBranchesWide = 1024, kMost = 40;

/// Where Newton's steps for z ^ 3 = 1 lead from a point, and after how many.
__global__ void newton_basins(float2* ends, float* steps, float scale) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float zr = (x - 511.5f) * scale, zi = (y % 1024 - 511.5f) * scale;
  int k = 0;
  for (; k < kMost; ++k) {
    const float r2 = zr * zr - zi * zi, i2 = 2.0f * zr * zi;
    const float fr = r2 * zr - i2 * zi - 1.0f, fi = r2 * zi + i2 * zr;
    if (fr * fr + fi * fi < 1e-8f) break;
    const float over = 1.0f / (3.0f * (r2 * r2 + i2 * i2));
    zr -= (fr * r2 + fi * i2) * over;
    zi -= (fi * r2 - fr * i2) * over;
  }
  ends[y * kBranchesWide + x] = make_float2(zr, zi);
  steps[y * kBranchesWide + x] = static_cast<float>(k);
}

constexpr unsigned kCorners = 32;
__host__ __device__ __forceinline__ unsigned corners_of(unsigned polygon) {
  return 3 + scrambled(polygon + 3) % 30;
}
__global__ void points_in_polygons(const float2* corners, const float2* points, const unsigned* which,
                                   unsigned* out, unsigned polygons, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned p = ladder::place_of(which[i], polygons), count = corners_of(p);
  const float2 at = points[i], *mine = corners + p * kCorners;
  bool inside = false;
  float2 last = mine[count - 1];
  for (unsigned k = 0; k < count; ++k) {
    const float2 here = mine[k];
    if ((here.y > at.y) != (last.y > at.y) &&
        at.x < (last.x - here.x) * (at.y - here.y) / (last.y - here.y) + here.x)
      inside = !inside;
    last = here;
  }
  out[i] = inside ? 2 : 1;
}

/// Letters of two bits; a sign of four bits: below 10 a letter, below 13 any one letter, else any letters.
__global__ void patterns_with_stars(const uint2* texts, const unsigned* patterns, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned long long text = static_cast<unsigned long long>(texts[i].y) << 32 | texts[i].x;
  const unsigned pattern = patterns[i];
  int t = 0, p = 0, star = -1, mark = 0;
  bool fits = true;
  while (t < 32) {
    const unsigned sign = p < 8 ? pattern >> 4 * p & 15 : 16;
    if (sign < 13 && (sign >= 10 || (sign & 3) == (text >> 2 * t & 3))) {
      ++t, ++p;
    } else if (sign >= 13 && sign < 16) {
      star = p++, mark = t;
    } else if (star >= 0) {
      p = star + 1, t = ++mark;
    } else {
      fits = false;
      break;
    }
  }
  while (fits && p < 8 && (pattern >> 4 * p & 15) >= 13) ++p;
  out[i] = fits && p == 8 ? 2 : 1;
}

}  // namespace

void branches(Set& s) {
  const std::size_t n = s.n;
  const unsigned high = as_number(n / 32 / kBranchesWide / 8 * 8);
  const float scale = 1.0f / 300;
  float* steps = s.out + n / 2;
  s.run(
      "Newton's steps to the third roots of one", 12.0 * kBranchesWide * high,
      [&] {
        newton_basins<<<dim3(kBranchesWide / 16, high / 8), dim3(16, 8)>>>(reinterpret_cast<float2*>(s.out),
                                                                           steps, scale);
      },
      [&] {
        double all = 0, all_here = 0;
        // The paths are chaotic: all end at roots, and the first row takes as many steps as here.
        const auto ends = taken(reinterpret_cast<float2*>(s.out), std::size_t{kBranchesWide} * high);
        const auto took = taken(steps, ends.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
          const double x = ends[i].x, y = ends[i].y;
          const bool root =
              std::hypot(x - 1, y) < 1e-3 || std::hypot(x + 0.5, std::abs(y) - std::sqrt(0.75)) < 1e-3;
          if (!root && took[i] < kMost) return false;
        }
        for (std::size_t i = 0; i < kBranchesWide; ++i) {
          double x = (real(i) - 511.5) / 300, y = -511.5 / 300;
          int k = 0;
          for (; k < kMost; ++k) {
            const double u = x * x - y * y, v = 2 * x * y, fr = u * x - v * y - 1, fi = u * y + v * x;
            if (fr * fr + fi * fi < 1e-8) break;
            const double over = 1 / (3 * (u * u + v * v));
            x -= (fr * u + fi * v) * over, y -= (fi * u - fr * v) * over;
          }
          all += took[i], all_here += k;
        }
        return Set::near(all, all_here, 2e-2);
      });
  const unsigned m = as_number(n / 64), polygons = as_number(n / 4096);
  s.run(
      "points in polygons of unequal corners", 16.0 * m,
      [&] {
        points_in_polygons<<<Set::blocks(m, 128), 128>>>(reinterpret_cast<const float2*>(s.in),
                                                         reinterpret_cast<const float2*>(s.other), s.words,
                                                         s.numbers(), polygons, m);
      },
      [&] {
        return numbers(s, m, [polygons](std::size_t i) {
          const unsigned p = place_of(word_of(i), polygons), count = corners_of(p);
          const double px = other_of(2 * i), py = other_of(2 * i + 1);
          unsigned crossed = 0;
          for (unsigned k = 0; k < count; ++k) {
            const std::size_t a = 2 * (p * std::size_t{kCorners} + k),
                              b = 2 * (p * std::size_t{kCorners} + (k + 1) % count);
            const double ax = float_of(a), ay = float_of(a + 1), bx = float_of(b), by = float_of(b + 1);
            if ((ay > py) != (by > py)) crossed += px < ax + (bx - ax) * (py - ay) / (by - ay);
          }
          return 1 + crossed % 2;
        });
      });
  const std::size_t patterns = n / 2;
  const unsigned texts = as_number(n / 128);
  s.run(
      "words of 32 letters against patterns with stars", 16.0 * texts,
      [&] {
        patterns_with_stars<<<Set::blocks(texts), 256>>>(reinterpret_cast<const uint2*>(s.words),
                                                         s.words + patterns, s.numbers(), texts);
      },
      [&] {
        const auto got = taken(s.numbers(), texts);
        for (std::size_t i = 0; i < texts; i += 61) {
          // Which beginnings of the text the pattern so far fits.
          std::vector<bool> fits(33);
          fits[0] = true;
          for (unsigned k = 0; k < 8; ++k) {
            const unsigned sign = word_of(patterns + i) >> 4 * k & 15;
            std::vector<bool> next(33);
            for (std::size_t t = 0; t <= 32; ++t) {
              if (sign >= 13) next[t] = fits[t] || (t > 0 && next[t - 1]);
              if (sign < 13 && t > 0 && fits[t - 1]) {
                const unsigned letter = word_of(2 * i + (t - 1) / 16) >> 2 * ((t - 1) % 16) & 3;
                next[t] = sign >= 10 || (sign & 3) == letter;
              }
            }
            fits = next;
          }
          if (got[i] != (fits[32] ? 2 : 1)) return false;
        }
        return true;
      });
}

}  // namespace held_out_7

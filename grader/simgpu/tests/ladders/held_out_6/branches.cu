/// @file
/// Kernels that part: steps to a root until near, kinds of shapes by a switch, rays that march to a
/// surface.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

/// Kepler's equation by Newton's way, as many steps as it takes.
template <typename T>
__host__ __device__ __forceinline__ T anomaly(T mean, T eccentric, T near) {
  T e = mean;
  for (int k = 0; k < 30; ++k) {
    const T step = (e - eccentric * sin(e) - mean) / (T(1) - eccentric * cos(e));
    e -= step;
    if (fabs(step) < near) break;
  }
  return e;
}
__global__ void kepler(const float* mean, const float* other, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = anomaly(0.4f * mean[i], 0.12f * other[i], 1e-6f);
}
template <typename T>
__host__ __device__ __forceinline__ T content(unsigned kind, T a, T b) {
  switch (kind % 6) {
    case 0:
      return a * a * a;
    case 1:
      return T(4.18879) * a * a * a;
    case 2:
      return T(3.14159265) * a * a * b;
    case 3:
      return T(1.0471976) * a * a * sqrt(b * b + T(1));
    case 4:
      return a * b / (a + b);
    default:
      return exp(-a) + log(b + T(1));
  }
}
__global__ void contents(const unsigned* kinds, const float* a, const float* b, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = content(kinds[i], a[i], b[i]);
}
/// Steps along a ray as long as what is nearest is far: a ball in a room of balls.
__host__ __device__ __forceinline__ unsigned march(unsigned ray) {
  float x = 0.5f, y = static_cast<float>(ray % 1024) * (1.0f / 1024),
        z = 0.5f + static_cast<float>(ray / 1024 % 64) * (1.0f / 128);
  unsigned steps = 0;
  while (steps < 64) {
    const float fx = x - floorf(x) - 0.5f, fy = y - 0.5f, fz = z - 0.5f;
    const float far = fmaf(fx, fx, fmaf(fy, fy, fz * fz));
    if (far < 0.04f) break;
    x += fmaf(0.125f, far, 0.0625f);
    if (x > 6.0f) break;
    ++steps;
  }
  return steps + 1;
}
__global__ void march_rays(unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = march(static_cast<unsigned>(i));
}

}  // namespace

void branches(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "Kepler's equation until it is near", 12.0 * real(n / 32),
      [&] { kepler<<<Set::blocks(n / 32), 256>>>(s.in, s.other, s.out, n / 32); },
      [&] {
        return within(s, n / 32, 2e-3,
                      [](std::size_t i) { return anomaly(0.4 * float_of(i), 0.12 * other_of(i), 1e-10); });
      });
  s.run(
      "contents of six kinds of shapes", 16.0 * real(n / 16),
      [&] { contents<<<Set::blocks(n / 16), 256>>>(s.words, s.in, s.other, s.out, n / 16); },
      [&] {
        return floats(s, n / 16, [](std::size_t i) {
          return content(word_of(i), double{float_of(i)}, double{other_of(i)});
        });
      });
  s.run(
      "rays that march to balls", 4.0 * real(n / 16),
      [&] { march_rays<<<Set::blocks(n / 16), 256>>>(s.numbers(), n / 16); },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          const unsigned got = s.number(i), want = march(as_number(i));
          return got != 0 && got <= want + 1 && want <= got + 1;
        });
      });
}

}  // namespace held_out_6

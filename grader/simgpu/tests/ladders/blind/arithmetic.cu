/// @file
/// Doubles, halves and functions that the special-function units or the library make.
#include "blind.hpp"

namespace blind {
namespace {

__global__ void logistic_of_doubles(const float* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = 1.0 / (1.0 + exp(3.0 - static_cast<double>(in[i])));
}
__global__ void polynomial_of_doubles(const double2* in, double2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const double2 v = in[i];
  double a = 1, b = 1;
#pragma unroll
  for (int k = 0; k < 24; ++k) {
    a = a * 0.25 + v.x;
    b = b * 0.25 + v.y;
  }
  out[i] = make_double2(a, b);
}
__global__ void swish_of_halves(const uint4* in, uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  uint4 v = in[i];
  auto* h = reinterpret_cast<__half2*>(&v);
#pragma unroll
  for (int k = 0; k < 4; ++k) h[k] = __hmul2(h[k], h2rcp(__hadd2(__float2half2_rn(1), h2exp(__hneg2(h[k])))));
  out[i] = v;
}
__global__ void to_polar(const float* x, const float* y, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float u = x[i] - 3.0f, v = y[i] - 4.0f;
  out[i] = make_float2(hypotf(u, v), atan2f(v, u));
}
/// Where a planet is: the angle of Kepler's equation by six steps of Newton.
__global__ void anomalies(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float mean = in[i];
  float e = mean;
#pragma unroll
  for (int k = 0; k < 6; ++k) e -= (e - 0.3f * __sinf(e) - mean) / (1.0f - 0.3f * __cosf(e));
  out[i] = e;
}
__host__ __device__ __forceinline__ float lattice(unsigned x, unsigned y) {
  return static_cast<float>(scrambled(x * 374761393u + y * 668265263u) & 0xffff) * (1.0f / 65536);
}
/// Noise of four octaves between points of a lattice of random values.
__host__ __device__ __forceinline__ float noise(float x, float y) {
  float sum = 0, weight = 0.5f;
#pragma unroll
  for (int octave = 0; octave < 4; ++octave) {
    const float cx = floorf(x), cy = floorf(y), fx = x - cx, fy = y - cy;
    const auto ix = static_cast<unsigned>(cx), iy = static_cast<unsigned>(cy);
    const float u = fx * fx * (3 - 2 * fx), v = fy * fy * (3 - 2 * fy);
    const float a = lattice(ix, iy), b = lattice(ix + 1, iy), c = lattice(ix, iy + 1),
                d = lattice(ix + 1, iy + 1);
    sum += weight * (a + u * (b - a) + v * (c - a + u * (a - b - c + d)));
    x *= 2, y *= 2, weight *= 0.5f;
  }
  return sum;
}
__global__ void paint_noise(float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m)
    out[i] = noise(static_cast<float>(i % 4096) * (1.0f / 64), static_cast<float>(i / 4096) * (1.0f / 64));
}
__global__ void powers_of_floats(const float2* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 v = in[i];
  out[i] = powf(v.x, v.y) + cbrtf(v.y);
}

}  // namespace

void arithmetic(Set& s) {
  const std::size_t n = s.n;
  auto* doubles = reinterpret_cast<double*>(s.out);
  s.run(
      "logistic function of doubles", 12.0 * static_cast<double>(n / 8),
      [&] { logistic_of_doubles<<<Set::blocks(n / 8), 256>>>(s.in, doubles, n / 8); },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          return Set::near(Checked::at(doubles, i), 1 / (1 + std::exp(3.0 - float_of(i))), 1e-9);
        });
      });
  // Pairs of the floats are doubles of some value; what counts is that they are finite.
  s.run(
      "polynomial of doubles", s.one,
      [&] {
        polynomial_of_doubles<<<Set::blocks(n / 8, 128), 128>>>(reinterpret_cast<double2*>(s.in),
                                                                reinterpret_cast<double2*>(s.out), n / 8);
      },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          const double x = Checked::at(reinterpret_cast<const double*>(s.in), i);
          double v = 1;
          for (int k = 0; k < 24; ++k) v = v * 0.25 + x;
          return Set::near(Checked::at(doubles, i), v, 1e-9);
        });
      });
  s.run(
      "swish of halves", s.one / 2,
      [&] {
        swish_of_halves<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<uint4*>(s.halves),
                                                      reinterpret_cast<uint4*>(s.out), n / 16);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const double x = half_of(i);
          return std::abs(__half2float(Checked::at(reinterpret_cast<const __half*>(s.out), i)) -
                          x / (1 + std::exp(-x))) < 2e-3;
        });
      });
  s.run(
      "polar coordinates", 16.0 * static_cast<double>(n / 2),
      [&] { to_polar<<<Set::blocks(n / 2), 256>>>(s.in, s.other, reinterpret_cast<float2*>(s.out), n / 2); },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const double u = float_of(i) - 3.0f, v = other_of(i) - 4.0f;
          return Set::near(s.value(2 * i), std::hypot(u, v)) &&
                 std::abs(s.value(2 * i + 1) - std::atan2(v, u)) < 1e-4;
        });
      });
  s.run(
      "anomalies", 2 * s.one / 4, [&] { anomalies<<<Set::blocks(n / 4), 256>>>(s.in, s.out, n / 4); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          const double e = s.value(i);
          return std::abs(e - 0.3 * std::sin(e) - float_of(i)) < 1e-3;
        });
      });
  s.run(
      "noise of four octaves", s.one / 8, [&] { paint_noise<<<Set::blocks(n / 8), 256>>>(s.out, n / 8); },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          const double want = noise(static_cast<float>(i % 4096) / 64, static_cast<float>(i / 4096) / 64);
          return std::abs(s.value(i) - want) < 1e-3;
        });
      });
  s.run(
      "powers and cubic roots", 12.0 * static_cast<double>(n / 4),
      [&] { powers_of_floats<<<Set::blocks(n / 4), 256>>>(reinterpret_cast<float2*>(s.in), s.out, n / 4); },
      [&] {
        return Set::each(n / 4, [&](std::size_t i) {
          return Set::near(s.value(i), std::pow(double{float_of(2 * i)}, double{float_of(2 * i + 1)}) +
                                           std::cbrt(double{float_of(2 * i + 1)}));
        });
      });
}

}  // namespace blind

/// @file
/// Vectors: three arrays of doubles combined, directions brought to length one, softplus.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__global__ void combine_three(const double* x, const double* y, const double* z, double* out, double a,
                              double b, double c, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = a * x[i] + b * y[i] + c * z[i];
}
/// Three arrays in, three out.
__global__ void normalize(const float* x, const float* y, const float* z, float* ox, float* oy, float* oz,
                          std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float px = x[i], py = y[i], pz = z[i];
  const float length = sqrtf(px * px + py * py + pz * pz);
  ox[i] = px / length, oy[i] = py / length, oz[i] = pz / length;
}
__global__ void softplus(const float* in, float* out, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float x = 4.0f - in[i];
    out[i] = x > 0 ? x + log1pf(expf(-x)) : log1pf(expf(x));
  }
}

}  // namespace

void vectors(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "three arrays of doubles combined", 32.0 * real(m),
      [&] {
        const auto* x = reinterpret_cast<const double*>(s.in);
        const auto* y = reinterpret_cast<const double*>(s.other);
        combine_three<<<Set::blocks(m), 256>>>(x, y, x + m, reinterpret_cast<double*>(s.out), 0.5, -0.25, 2.0,
                                               m);
      },
      [&] {
        return doubles(s, m, [&](std::size_t i) {
          return 0.5 * double_of(i) - 0.25 * double_of(i, 33331) + 2.0 * double_of(m + i);
        });
      });
  s.run(
      "directions of three arrays", 24.0 * real(m),
      [&] {
        normalize<<<Set::blocks(m), 256>>>(s.in, s.in + m, s.in + 2 * m, s.out, s.out + m, s.out + 2 * m, m);
      },
      [&] {
        return floats(s, 3 * m, [&](std::size_t i) {
          const double x = float_of(i % m), y = float_of(m + i % m), z = float_of(2 * m + i % m);
          return float_of(i) / std::sqrt(x * x + y * y + z * z);
        });
      });
  s.run(
      "softplus, sixteen blocks an SM", 8.0 * real(m), [&] { softplus<<<s.sms * 16, 128>>>(s.in, s.out, m); },
      [&] { return floats(s, m, [](std::size_t i) { return std::log1p(std::exp(4.0 - float_of(i))); }); });
}

}  // namespace held_out_6

/// @file
/// Vectors from one end to the other, as first lessons have them: sums of two in a grid-stride loop, halves
/// by pairs, doubles added onto what is there, complex numbers, loads that ask not to be kept.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

__global__ void axpby(float a, const float* x, float b, const float* y, float* z, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) z[i] = a * x[i] + b * y[i];
}
__global__ void multiply_halves(const __half2* a, const __half2* b, __half2* c, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) c[i] = __hmul2(a[i], b[i]);
}
__global__ void add_onto(double a, const double* x, double* y, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) y[i] += a * x[i];
}
__global__ void multiply_complex(const float2* a, const float2* b, float2* c, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 p = a[i], q = b[i];
  c[i] = make_float2(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x);
}
__global__ void pass_by(const float4* in, float4* out, float by, std::size_t m) {
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const float4 v = __ldcs(in + i);
    __stcs(out + i, make_float4(by * v.x, by * v.y, by * v.z, by * v.w));
  }
}

}  // namespace

void vectors(Set& s) {
  const std::size_t n = s.n, m = n / 8;
  s.run(
      "axpby in a grid-stride loop", 12.0 * real(m),
      [&] { axpby<<<s.sms * 32, 256>>>(1.5f, s.in, -0.5f, s.other, s.out, m); },
      [&] {
        return within(s, m, 1e-4, [](std::size_t i) { return 1.5 * float_of(i) - 0.5 * other_of(i); });
      });
  s.run(
      "halves multiplied by pairs", 6.0 * real(2 * m),
      [&] {
        multiply_halves<<<Set::blocks(m), 256>>>(reinterpret_cast<__half2*>(s.halves),
                                                 reinterpret_cast<__half2*>(s.halves) + m,
                                                 reinterpret_cast<__half2*>(s.out), m);
      },
      [&] {
        bool some = false;
        return Set::each(2 * m,
                         [&](std::size_t i) {
                           const double got = __half2float(Checked::at(reinterpret_cast<__half*>(s.out), i));
                           some = some || got != 0;
                           return Set::near(got, double{half_of(i)} * half_of(2 * m + i), 2e-3);
                         }) &&
               some;
      });
  s.run(
      "doubles added onto what is there", 24.0 * real(m / 2),
      [&] {
        add_onto<<<Set::blocks(m / 2, 512), 512>>>(3.0, reinterpret_cast<double*>(s.in),
                                                   reinterpret_cast<double*>(s.out), m / 2);
      },
      [&] {
        return Set::each(m / 2, [&](std::size_t i) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), 3 * double_of(i), 1e-12);
        });
      });
  s.run(
      "complex numbers multiplied", 24.0 * real(m / 2),
      [&] {
        multiply_complex<<<Set::blocks(m / 2), 256>>>(reinterpret_cast<float2*>(s.in),
                                                      reinterpret_cast<float2*>(s.other),
                                                      reinterpret_cast<float2*>(s.out), m / 2);
      },
      [&] {
        return within(s, m, 1e-4, [](std::size_t i) {
          const double a = float_of(i / 2 * 2), b = float_of(i / 2 * 2 + 1), c = other_of(i / 2 * 2),
                       d = other_of(i / 2 * 2 + 1);
          return i % 2 == 0 ? a * c - b * d : a * d + b * c;
        });
      });
  s.run(
      "vectors scaled, not to be kept", 8.0 * real(2 * m),
      [&] { pass_by<<<s.sms * 16, 128>>>(reinterpret_cast<float4*>(s.in), s.vectors(), 0.25f, m / 2); },
      [&] { return floats(s, 2 * m, [](std::size_t i) { return 0.25 * float_of(i); }); });
}

}  // namespace held_out_5

/// @file
/// Much arithmetic on few words: products of 256 bits, distances on a globe, orbits in doubles.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kLimbs = 8;
__host__ __device__ __forceinline__ void multiply(const unsigned* a, const unsigned* b, unsigned* out) {
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned k = 0; k < 2 * kLimbs; ++k) out[k] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned i = 0; i < kLimbs; ++i) {
    unsigned long long carry = 0;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (unsigned j = 0; j < kLimbs; ++j) {
      carry += static_cast<unsigned long long>(a[i]) * b[j] + out[i + j];
      out[i + j] = static_cast<unsigned>(carry);
      carry >>= 32;
    }
    out[i + kLimbs] = static_cast<unsigned>(carry);
  }
}
/// Word k of number t lies at k * m + t.
__global__ void long_products(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t t = global_index();
  if (t >= m) return;
  unsigned a[kLimbs], b[kLimbs], c[2 * kLimbs];
#pragma unroll
  for (unsigned k = 0; k < kLimbs; ++k) a[k] = in[k * m + t], b[k] = in[(kLimbs + k) * m + t];
  multiply(a, b, c);
#pragma unroll
  for (unsigned k = 0; k < 2 * kLimbs; ++k) out[k * m + t] = c[k];
}
__global__ void on_a_globe(const float2* a, const float2* b, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 p = a[i], q = b[i];
  const float u = sinf(0.5f * (q.x - p.x)), v = sinf(0.5f * (q.y - p.y));
  out[i] = 12742.0f * asinf(sqrtf(fminf(1.0f, u * u + cosf(p.x) * cosf(q.x) * v * v)));
}
/// Where a planet stands, from how long it has been under way: five steps of Newton's.
__global__ void orbits(const float* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const double time = in[i];
  double angle = time;
#pragma unroll 1
  for (int k = 0; k < 5; ++k) {
    double sine, cosine;
    sincos(angle, &sine, &cosine);
    angle -= (angle - 0.3 * sine - time) / (1 - 0.3 * cosine);
  }
  out[i] = angle;
}

}  // namespace

void arithmetic(Set& s) {
  const std::size_t n = s.n, threads = n / 512;
  s.run(
      "products of 256 bits", 4.0 * 4 * kLimbs * real(threads),
      [&] { long_products<<<Set::blocks(threads, 128), 128>>>(s.words, s.numbers(), threads); },
      [&] {
        return numbers(s, 2 * kLimbs * threads, [&](std::size_t i) {
          unsigned a[kLimbs], b[kLimbs], c[2 * kLimbs];
          for (std::size_t k = 0; k < kLimbs; ++k) {
            a[k] = word_of(k * threads + i % threads);
            b[k] = word_of((kLimbs + k) * threads + i % threads);
          }
          multiply(a, b, c);
          return c[i / threads];
        });
      });
  const std::size_t m = n / 64;
  s.run(
      "distances on a globe", 20.0 * real(m),
      [&] {
        on_a_globe<<<Set::blocks(m), 256>>>(reinterpret_cast<float2*>(s.in),
                                            reinterpret_cast<float2*>(s.other), s.out, m);
      },
      [&] {
        return within(s, m, 20, [](std::size_t i) {
          const double px = float_of(2 * i), py = float_of(2 * i + 1), qx = other_of(2 * i),
                       qy = other_of(2 * i + 1);
          const double u = std::sin((qx - px) / 2), v = std::sin((qy - py) / 2);
          return 12742 * std::asin(std::sqrt(std::min(1.0, u * u + std::cos(px) * std::cos(qx) * v * v)));
        });
      });
  s.run(
      "orbits in doubles, five steps", 12.0 * real(n / 512),
      [&] { orbits<<<Set::blocks(n / 512, 128), 128>>>(s.in, reinterpret_cast<double*>(s.out), n / 512); },
      [&] {
        return Set::each(n / 512, [&](std::size_t i) {
          const double angle = Checked::at(reinterpret_cast<double*>(s.out), i);
          return std::abs(angle - 0.3 * std::sin(angle) - float_of(i)) < 1e-9 && angle != 0;
        });
      });
}

}  // namespace held_out_4

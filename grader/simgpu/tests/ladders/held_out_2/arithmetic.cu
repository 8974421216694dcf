/// @file
/// What the units of an SM do: divisions, roots and sines, doubles, pairs of halves, long integers, bits, values of other lanes.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

__global__ void divide(const unsigned* in, unsigned* out, std::size_t m, unsigned by) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned v = in[i], q = v / by;
  out[i] = q ^ v % (by + 2) ^ (q + 1000) / (v >> 20 | 1);
}
__global__ void waves(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = sinf(in[i]) + sqrtf(in[i]) * expf(-in[i]) + 2;
}
__global__ void quick_waves(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = __sinf(in[i]) + __fsqrt_rn(in[i]) * __expf(-in[i]) + 2;
}
__global__ void doubles(const double* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  double v = static_cast<double>(reinterpret_cast<const unsigned*>(in)[i] & 0xffff) * 1e-5;
#pragma unroll 8
  for (int k = 0; k < 32; ++k) v = v * v * 0.5 + 0.25;
  out[i] = v;
}
__global__ void pairs_of_halves(const __half2* in, __half2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  __half2 v = in[i];
  const __half2 a = __float2half2_rn(0.5f), b = __float2half2_rn(0.25f);
#pragma unroll
  for (int k = 0; k < 16; ++k) v = __hfma2(v, a, b);
  out[i] = v;
}
/// A generator of 64 bits, sixteen steps.
__host__ __device__ unsigned long long mixed(unsigned long long v) {
#pragma unroll
  for (int k = 0; k < 16; ++k) v = v * 6364136223846793005ull + 1442695040888963407ull;
  return v ^ v >> 33;
}
__global__ void long_integers(unsigned long long* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = mixed(i);
}
__global__ void bits(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned v = in[i], sum = 1;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    sum += __popc(v) + __clz(v);
    v = __brev(v) * 5 + k;
  }
  out[i] = sum;
}
/// Each lane mixes in what lanes hold at distances of one to sixteen, eight times over.
__global__ void lanes(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  unsigned v = i < m ? in[i] : 0;
#pragma unroll 1
  for (int k = 0; k < 8; ++k)
#pragma unroll
    for (int d = 1; d <= 16; d *= 2) v ^= __shfl_xor_sync(~0u, v, d) * 3 + 1;
  if (i < m) out[i] = v;
}

}  // namespace

void arithmetic(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "integers divided", s.one / 4,
      [&] { divide<<<Set::blocks(n / 8), 256>>>(s.words, s.numbers(), n / 8, 1237); },
      [&] {
        return numbers(s, n / 8, [](std::size_t i) {
          const unsigned v = word_of(i), q = v / 1237;
          return q ^ v % 1239 ^ (q + 1000) / (v >> 20 | 1);
        });
      });
  const auto wave = [](std::size_t i) {
    const double v = float_of(i);
    return std::sin(v) + std::sqrt(v) * std::exp(-v) + 2;
  };
  s.run(
      "sines, roots, powers", s.one / 2, [&] { waves<<<Set::blocks(n / 4), 256>>>(s.in, s.out, n / 4); },
      [&] { return floats(s, n / 4, wave); });
  s.run(
      "sines, roots, powers, quick", s.one / 2,
      [&] { quick_waves<<<Set::blocks(n / 4), 256>>>(s.in, s.out, n / 4); },
      [&] { return floats(s, n / 4, wave); });
  s.run(
      "doubles squared in a chain", 12.0 * real(n / 16),
      [&] {
        doubles<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<double*>(s.words),
                                              reinterpret_cast<double*>(s.out), n / 16);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          double v = (word_of(i) & 0xffff) * 1e-5;
          for (int k = 0; k < 32; ++k) v = v * v * 0.5 + 0.25;
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i), v, 1e-9);
        });
      });
  s.run(
      "pairs of halves in a chain", s.one / 8,
      [&] {
        pairs_of_halves<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<__half2*>(s.halves),
                                                      reinterpret_cast<__half2*>(s.out), n / 16);
      },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          const double got =
              static_cast<double>(__half2float(Checked::at(reinterpret_cast<__half*>(s.out), i)));
          return std::abs(got - 0.5) < 0.002;  // where each chain ends
        });
      });
  s.run(
      "integers of 64 bits multiplied", s.one / 4,
      [&] {
        long_integers<<<Set::blocks(n / 8), 256>>>(reinterpret_cast<unsigned long long*>(s.out), n / 8);
      },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          return Checked::at(reinterpret_cast<unsigned long long*>(s.out), i) == mixed(i);
        });
      });
  s.run(
      "bits counted and turned", s.one / 4,
      [&] { bits<<<Set::blocks(n / 8), 256>>>(s.words, s.numbers(), n / 8); },
      [&] {
        return numbers(s, n / 8, [](std::size_t i) {
          unsigned v = word_of(i), sum = 1;
          for (unsigned k = 0; k < 16; ++k) {
            unsigned turned = 0, zeros = 32;
            for (unsigned b = 0; b < 32; ++b)
              if (v >> b & 1) turned |= 1u << (31 - b), ++sum, zeros = 31 - b;
            sum += zeros;
            v = turned * 5 + k;
          }
          return sum;
        });
      });
  s.run(
      "values of other lanes", s.one / 4,
      [&] { lanes<<<Set::blocks(n / 8), 256>>>(s.words, s.numbers(), n / 8); },
      [&] {
        return numbers(s, n / 8, [](std::size_t i) {
          unsigned v[32], w[32];
          for (std::size_t l = 0; l < 32; ++l) v[l] = word_of(i / 32 * 32 + l);
          for (int k = 0; k < 8; ++k)
            for (std::size_t d = 1; d <= 16; d *= 2) {
              for (std::size_t l = 0; l < 32; ++l) w[l] = v[l] ^ (v[l ^ d] * 3 + 1);
              std::copy(w, w + 32, v);
            }
          return v[i % 32];
        });
      });
}

}  // namespace held_out_2

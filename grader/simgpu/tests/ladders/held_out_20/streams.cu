/// @file
/// Streams: doubles turned by an angle, errors that grow more slowly where they are great, halves multiplied
/// and added, two words made one along Morton's curve.
#include <algorithm>

#include "held_out_20.hpp"

namespace held_out_20 {
namespace {

constexpr double kTurnCosine = 0.8, kTurnSine = 0.6;
__global__ void __launch_bounds__(256)
    turn_doubles(const double2* a, const double2* b, double2* out, double2* other_out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const double2 u = a[i], v = b[i];
  out[i] = make_double2(kTurnCosine * u.x + kTurnSine * v.x, kTurnCosine * u.y + kTurnSine * v.y);
  other_out[i] = make_double2(kTurnCosine * v.x - kTurnSine * u.x, kTurnCosine * v.y - kTurnSine * u.y);
}

constexpr float kHuberLimit = 1.5f;
__device__ __forceinline__ float huber_error(float off, float& slope) {
  slope = fminf(fmaxf(off, -kHuberLimit), kHuberLimit);
  return slope * (off - 0.5f * slope);
}
/// Half the square up to the limit, a line beyond it; and how steep that is.
__global__ void __launch_bounds__(192)
    huber_errors(const float4* __restrict__ told, const float4* __restrict__ right, float4* __restrict__ out,
                 float4* __restrict__ slopes, unsigned m) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x) {
    const float4 u = told[i], v = right[i];
    float4 error, slope;
    error.x = huber_error(u.x - v.x, slope.x);
    error.y = huber_error(u.y - v.y, slope.y);
    error.z = huber_error(u.z - v.z, slope.z);
    error.w = huber_error(u.w - v.w, slope.w);
    out[i] = error;
    slopes[i] = slope;
  }
}

union EightHalves {
  uint4 all;
  __half2 pairs[4];
};
__global__ void __launch_bounds__(512)
    multiply_add_halves(const uint4* a, const uint4* b, const uint4* c, uint4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  EightHalves u, v, w;
  u.all = a[i];
  v.all = b[i];
  w.all = c[i];
#pragma unroll
  for (unsigned k = 0; k < 4; ++k) u.pairs[k] = __hfma2(u.pairs[k], v.pairs[k], w.pairs[k]);
  out[i] = u.all;
}

__device__ __forceinline__ unsigned long long with_gaps(unsigned word) {
  unsigned long long v = word;
  v = (v | v << 16) & 0x0000ffff0000ffffull;
  v = (v | v << 8) & 0x00ff00ff00ff00ffull;
  v = (v | v << 4) & 0x0f0f0f0f0f0f0f0full;
  v = (v | v << 2) & 0x3333333333333333ull;
  return (v | v << 1) & 0x5555555555555555ull;
}
__global__ void __launch_bounds__(256)
    join_bits(const uint2* a, const uint2* b, ulonglong2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint2 u = a[i], v = b[i];
  out[i] = make_ulonglong2(with_gaps(u.x) | with_gaps(v.x) << 1, with_gaps(u.y) | with_gaps(v.y) << 1);
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const unsigned turned = as_number(n / 40);
  s.run(
      "doubles of two arrays turned into one another by an angle, two a thread", 64.0 * turned,
      [&] {
        turn_doubles<<<Set::blocks(turned), 256>>>(
            reinterpret_cast<const double2*>(s.in), reinterpret_cast<const double2*>(s.other),
            reinterpret_cast<double2*>(s.out), reinterpret_cast<double2*>(s.out) + turned, turned);
      },
      [&] {
        const std::size_t half = 2 * std::size_t{turned};
        return near_everywhere<double>(s, 2 * half, 1e-10, [&](std::size_t i) {
          const double u = double_of(i % half), v = double_of(i % half, 33331);
          return i < half ? kTurnCosine * u + kTurnSine * v : kTurnCosine * v - kTurnSine * u;
        });
      });

  const unsigned errors = as_number(n / 24);
  s.run(
      "errors of two arrays by Huber's measure and their slopes, six blocks an SM", 64.0 * errors,
      [&] {
        huber_errors<<<s.sms * 6, 192>>>(reinterpret_cast<const float4*>(s.in),
                                         reinterpret_cast<const float4*>(s.other), s.vectors(),
                                         s.vectors() + errors, errors);
      },
      [&] {
        const std::size_t half = 4 * std::size_t{errors};
        return near_everywhere(s, 2 * half, 1e-5, [&](std::size_t i) {
          const double off = double{float_of(i % half)} - other_of(i % half), limit = kHuberLimit;
          if (i >= half) return std::clamp(off, -limit, limit);
          return std::abs(off) <= limit ? off * off / 2 : limit * (std::abs(off) - limit / 2);
        });
      });

  const unsigned eights = as_number(n / 40);
  s.run(
      "halves of two arrays multiplied and those of a third added, eight a thread", 64.0 * eights,
      [&] {
        const auto* from = reinterpret_cast<const uint4*>(s.halves);
        multiply_add_halves<<<Set::blocks(eights, 512), 512>>>(
            from, from + eights, from + 2 * std::size_t{eights}, reinterpret_cast<uint4*>(s.out), eights);
      },
      [&] {
        // Rounded once: a product of two halves is exact in a float, and so is this sum.
        const std::size_t all = 8 * std::size_t{eights};
        return same_everywhere<unsigned short>(s, all, [&](std::size_t i) {
          const __half_raw raw = __float2half(half_of(i) * half_of(all + i) + half_of(2 * all + i));
          return raw.x;
        });
      });

  const unsigned joined = as_number(n / 28);
  s.run(
      "bits of words of two arrays in turn as words of 64 bits, two a thread", 32.0 * joined,
      [&] {
        join_bits<<<Set::blocks(joined), 256>>>(reinterpret_cast<const uint2*>(s.words),
                                                reinterpret_cast<const uint2*>(s.words) + joined,
                                                reinterpret_cast<ulonglong2*>(s.out), joined);
      },
      [&] {
        const std::size_t all = 2 * std::size_t{joined};
        return same_everywhere<unsigned long long>(
            s, all,
            [&](std::size_t i) {
              unsigned long long bits = 0;
              const unsigned long long u = word_of(i), v = word_of(all + i);
              for (unsigned k = 0; k < 32; ++k) bits |= ((u >> k & 1) | (v >> k & 1) << 1) << 2 * k;
              return bits;
            },
            3);
      });
}

}  // namespace held_out_20

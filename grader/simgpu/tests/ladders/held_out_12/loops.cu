/// @file
/// Long arithmetic: logarithms of the gamma function, distances of signatures in bits, draws until a product
/// is small; filters down long columns with a warp an SM, cube roots in a grid with a tail.
#include "held_out_12.hpp"

namespace held_out_12 {
namespace {

__global__ void __launch_bounds__(256) logarithms_of_gamma(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = lgammaf(in[i] * in[i]);
}

constexpr unsigned kSignatures = 96;
/// The least distance, and whose it is.
__global__ void __launch_bounds__(256)
    nearest_signatures(const uint4* all, const uint4* in, unsigned* out, unsigned m) {
  __shared__ uint4 known[kSignatures];
  if (threadIdx.x < kSignatures) known[threadIdx.x] = all[threadIdx.x];
  __syncthreads();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 v = in[i];
  unsigned best = ~0u;
#pragma unroll 4
  for (unsigned k = 0; k < kSignatures; ++k) {
    const uint4 w = known[k];
    const int far = __popc(v.x ^ w.x) + __popc(v.y ^ w.y) + __popc(v.z ^ w.z) + __popc(v.w ^ w.w);
    best = min(best, static_cast<unsigned>(far) << 8 | k);
  }
  out[i] = best;
}

constexpr unsigned kPoissonDraws = 4, kMostDraws = 64;
constexpr float kPoissonLimit = 0.00247875218f;  // e to the minus six
__host__ __device__ __forceinline__ unsigned shifted_thrice(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^ state << 5;
}
/// In (0, 1); exact.
__host__ __device__ __forceinline__ float fraction_of(unsigned state) {
  return (static_cast<float>(state >> 9) + 0.5f) * (1.0f / (1u << 23));
}
__host__ __device__ __forceinline__ unsigned poisson_sum(unsigned word) {
  unsigned state = word | 1u, sum = 0;
  for (unsigned k = 0; k < kPoissonDraws; ++k) {
    float product = 1.0f;
    for (unsigned draw = 0; draw < kMostDraws; ++draw) {
      state = shifted_thrice(state);
      product *= fraction_of(state);
      if (product <= kPoissonLimit) break;
      ++sum;
    }
  }
  return sum;
}
__global__ void poisson_sums(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = poisson_sum(words[i]);
}

constexpr unsigned kFilteredSamples = 1024;
struct Biquad {
  float b0, b1, b2, a1, a2;
};
constexpr Biquad kLowPass{0.2f, 0.4f, 0.2f, -0.4f, 0.2f};
/// A channel is a thread's; its state goes from sample to sample.
__global__ void __launch_bounds__(32) filter_channels(const float* in, float* out, Biquad by) {
  const std::size_t channel = global_index(), channels = stride();
  float first = 0.0f, second = 0.0f;
  for (unsigned k = 0; k < kFilteredSamples; ++k) {
    const float x = in[k * channels + channel];
    const float y = by.b0 * x + first;
    first = by.b1 * x - by.a1 * y + second;
    second = by.b2 * x - by.a2 * y;
    out[k * channels + channel] = y;
  }
}

constexpr unsigned kCubeRoots = 64;
__global__ void __launch_bounds__(1024, 2) cube_roots_in_turn(const float* in, float* out) {
  const std::size_t i = global_index();
  float v = in[i];
#pragma unroll 1
  for (unsigned k = 0; k < kCubeRoots; ++k) v = cbrtf(3.0f * v + 0.5f);
  out[i] = v + 0.125f * in[i];
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned gammas = as_number(n / 64);
  s.run(
      "logarithms of the gamma function of squares", 8.0 * gammas,
      [&] { logarithms_of_gamma<<<Set::blocks(gammas), 256>>>(s.in, s.out, gammas); },
      [&] {
        return within(s, gammas, 2e-3,
                      [](std::size_t i) { return std::lgamma(double{float_of(i)} * float_of(i)); });
      });
  const unsigned sent = as_number(n / 128);
  const auto* known = reinterpret_cast<const uint4*>(s.words + n / 2);
  s.run(
      "nearest of 96 signatures of 128 bits", 20.0 * sent,
      [&] {
        nearest_signatures<<<Set::blocks(sent), 256>>>(known, reinterpret_cast<const uint4*>(s.words),
                                                       s.numbers(), sent);
      },
      [&] {
        return numbers(s, sent, [&](std::size_t i) {
          unsigned best = ~0u;
          for (unsigned k = 0; k < kSignatures; ++k) {
            unsigned far = 0;
            for (std::size_t w = 0; w < 4; ++w)
              for (unsigned bits = word_of(4 * i + w) ^ word_of(n / 2 + 4 * std::size_t{k} + w); bits != 0;
                   bits &= bits - 1)
                ++far;
            best = std::min(best, far << 8 | k);
          }
          return best;
        });
      });
  const unsigned drawn = as_number(n / 128);
  s.run(
      "Poisson's numbers by products of draws", 8.0 * drawn,
      [&] { poisson_sums<<<Set::blocks(drawn), 256>>>(s.words, s.numbers(), drawn); },
      [&] { return numbers(s, drawn, [](std::size_t i) { return poisson_sum(word_of(i)); }); });

  const std::size_t channels = std::size_t{s.sms} * 32;
  s.run(
      "filters down 1024 samples of channels, a warp an SM", 8.0 * kFilteredSamples * real(channels),
      [&] { filter_channels<<<s.sms, 32>>>(s.in, s.out, kLowPass); },
      [&] {
        return floats(s, kFilteredSamples * channels, [&](std::size_t i) {
          double first = 0, second = 0, y = 0;
          for (std::size_t k = 0; k <= i / channels; ++k) {
            const double x = float_of(k * channels + i % channels);
            y = kLowPass.b0 * x + first;
            first = kLowPass.b1 * x - kLowPass.a1 * y + second;
            second = kLowPass.b2 * x - kLowPass.a2 * y;
          }
          return y;
        });
      });
  const unsigned blocks_of_roots = s.sms * 2 + s.sms * 3 / 11;
  s.run(
      "cube roots, blocks of 1024 twice an SM and three elevenths", 8.0 * 1024 * blocks_of_roots,
      [&] { cube_roots_in_turn<<<blocks_of_roots, 1024>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{1024} * blocks_of_roots, [](std::size_t i) {
          double v = float_of(i);
          for (unsigned k = 0; k < kCubeRoots; ++k) v = std::cbrt(3 * v + 0.5);
          return v + 0.125 * float_of(i);
        });
      });
}

}  // namespace held_out_12

/// @file
/// Long arithmetic: roots of quintics by steps of Newton in doubles, sums of random numbers that are
/// normally spread, arctangents in a grid too small for the card.
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

constexpr unsigned kNewtonSteps = 12;
/// Where x to the fifth and x make a.
__global__ void __launch_bounds__(256) roots_of_quintics(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const double a = in[i];
  double x = 1.0;
#pragma unroll 1
  for (unsigned k = 0; k < kNewtonSteps; ++k) {
    const double fourth = x * x * (x * x);
    x -= (fourth * x + x - a) / (5.0 * fourth + 1.0);
  }
  out[i] = x;
}

constexpr unsigned kNormalPairs = 8;
__host__ __device__ __forceinline__ unsigned shifted_on(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^ state << 5;
}
/// In (0, 1).
__host__ __device__ __forceinline__ float part_of_one(unsigned state) {
  return (static_cast<float>(state >> 9) + 0.5f) * (1.0f / (1u << 23));
}
__global__ void normal_sums(const unsigned* words, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned state = words[i] | 1u;
  float sum = 0.0f;
  for (unsigned k = 0; k < kNormalPairs; ++k) {
    state = shifted_on(state);
    const float far = sqrtf(-2.0f * logf(part_of_one(state)));
    state = shifted_on(state);
    float sine, cosine;
    sincospif(2.0f * part_of_one(state), &sine, &cosine);
    sum += far * sine + far * cosine;
  }
  out[i] = sum;
}

constexpr unsigned kAngles = 256;
__global__ void __launch_bounds__(256) angles_in_turn(const float* in, float* out) {
  const std::size_t i = global_index();
  float v = in[i];
#pragma unroll 1
  for (unsigned k = 0; k < kAngles; ++k) v = atan2f(v + 0.5f, 1.25f);
  out[i] = v + 0.125f * in[i];
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned quintics = as_number(n / 64);
  s.run(
      "roots of quintics by twelve steps of doubles", 12.0 * quintics,
      [&] {
        roots_of_quintics<<<Set::blocks(quintics), 256>>>(s.in, reinterpret_cast<double*>(s.out), quintics);
      },
      [&] {
        const auto* got = reinterpret_cast<const double*>(s.out);
        return Set::each(quintics, [&](std::size_t i) {
          const double x = Checked::at(got, i);
          return Set::near(std::pow(x, 5) + x, float_of(i), 1e-9);
        });
      });
  const unsigned drawn = as_number(n / 64);
  s.run(
      "sums of sixteen random numbers normally spread", 8.0 * drawn,
      [&] { normal_sums<<<Set::blocks(drawn), 256>>>(s.words, s.out, drawn); },
      [&] {
        return within(s, drawn, 1e-3, [](std::size_t i) {
          unsigned state = word_of(i) | 1u;
          double sum = 0;
          for (unsigned k = 0; k < kNormalPairs; ++k) {
            state = shifted_on(state);
            const double far = std::sqrt(-2 * std::log(double{part_of_one(state)}));
            state = shifted_on(state);
            const double angle = 2 * std::acos(-1.0) * part_of_one(state);
            sum += far * (std::sin(angle) + std::cos(angle));
          }
          return sum;
        });
      });
  const unsigned blocks = s.sms * 4 / 11;
  s.run(
      "arctangents on four SMs of eleven", 8.0 * 256 * blocks,
      [&] { angles_in_turn<<<blocks, 256>>>(s.in, s.out); },
      [&] {
        return floats(s, std::size_t{256} * blocks, [](std::size_t i) {
          double v = float_of(i);
          for (unsigned k = 0; k < kAngles; ++k) v = std::atan2(v + 0.5, 1.25);
          return v + 0.125 * float_of(i);
        });
      });
}

}  // namespace held_out_11

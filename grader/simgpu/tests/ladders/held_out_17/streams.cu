/// @file
/// Streams: lengths of pairs of halves, weights stepped along their gradients, pixels of three floats by vectors.
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

/// A vector of sixteen bytes has four pairs.
__global__ void __launch_bounds__(256) lengths_of_pairs(const uint4* in, float4* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const uint4 four = in[i];
  const auto length = [](unsigned pair) {
    __half2 halves;
    memcpy(&halves, &pair, sizeof halves);
    const float2 v = __half22float2(halves);
    return sqrtf(v.x * v.x + v.y * v.y);
  };
  out[i] = make_float4(length(four.x), length(four.y), length(four.z), length(four.w));
}

constexpr float kKeptOfMean = 0.9f, kKeptOfSquare = 0.999f, kStepSize = 0.01f, kNotNought = 1e-8f;
/// What training does with each weight: its gradient's mean and that of its square run along.
__global__ void __launch_bounds__(256)
    step_weights(const float* __restrict__ gradients, const float* __restrict__ weights,
                 const float* __restrict__ means, const float* __restrict__ squares, float* new_weights,
                 float* new_means, float* new_squares, float of_mean, float of_square, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float gradient = gradients[i];
  const float mean = kKeptOfMean * means[i] + (1.0f - kKeptOfMean) * gradient;
  const float square = kKeptOfSquare * squares[i] + (1.0f - kKeptOfSquare) * gradient * gradient;
  new_means[i] = mean;
  new_squares[i] = square;
  new_weights[i] = weights[i] - kStepSize * (mean * of_mean) / (sqrtf(square * of_square) + kNotNought);
}

struct Channels {
  float mean[3], scale[3];
};
/// Four pixels are three vectors.
__global__ void __launch_bounds__(128)
    level_pixels(const float4* in, float4* out, const Channels channels, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float4 v[3];
#pragma unroll
  for (unsigned k = 0; k < 3; ++k) v[k] = in[3 * std::size_t{i} + k];
#pragma unroll
  for (unsigned k = 0; k < 3; ++k) {
    v[k].x = (v[k].x - channels.mean[4 * k % 3]) * channels.scale[4 * k % 3];
    v[k].y = (v[k].y - channels.mean[(4 * k + 1) % 3]) * channels.scale[(4 * k + 1) % 3];
    v[k].z = (v[k].z - channels.mean[(4 * k + 2) % 3]) * channels.scale[(4 * k + 2) % 3];
    v[k].w = (v[k].w - channels.mean[4 * k % 3]) * channels.scale[4 * k % 3];
    out[3 * std::size_t{i} + k] = v[k];
  }
}

}  // namespace

void streams(Set& s) {
  const std::size_t n = s.n;
  const unsigned fours = as_number(n / 32);
  s.run(
      "lengths of pairs of halves, four pairs a thread", 32.0 * fours,
      [&] {
        lengths_of_pairs<<<Set::blocks(fours), 256>>>(reinterpret_cast<const uint4*>(s.halves), s.vectors(),
                                                      fours);
      },
      [&] {
        return floats(s, 4 * std::size_t{fours}, [](std::size_t i) {
          return std::hypot(double{half_of(2 * i)}, double{half_of(2 * i + 1)});
        });
      });

  const unsigned weights = as_number(n / 16);
  constexpr float kOfMean = 1.25f, kOfSquare = 1.5f;
  s.run(
      "weights stepped by running means of their gradients and of squares of them", 28.0 * weights,
      [&] {
        step_weights<<<Set::blocks(weights), 256>>>(s.in, s.other, s.in + n / 2, s.other + n / 2, s.out,
                                                    s.out + weights, s.out + 2 * std::size_t{weights},
                                                    kOfMean, kOfSquare, weights);
      },
      [&] {
        return floats(
            s, 3 * std::size_t{weights},
            [&](std::size_t at) {
              const std::size_t i = at % weights;
              const double gradient = float_of(i),
                           mean = double{kKeptOfMean} * float_of(n / 2 + i) +
                                  (1.0 - double{kKeptOfMean}) * gradient,
                           square = double{kKeptOfSquare} * other_of(n / 2 + i) +
                                    (1.0 - double{kKeptOfSquare}) * gradient * gradient;
              if (at >= 2 * std::size_t{weights}) return square;
              if (at >= weights) return mean;
              return other_of(i) - double{kStepSize} * mean * double{kOfMean} /
                                       (std::sqrt(square * double{kOfSquare}) + double{kNotNought});
            },
            1e-4);
      });

  const unsigned groups = as_number(n / 8 / 12);
  const Channels channels{{3.5f, 3.75f, 4.0f}, {0.5f, 0.625f, 0.75f}};
  s.run(
      "pixels of three floats brought to a mean and a spread, four a thread by three vectors", 96.0 * groups,
      [&] {
        level_pixels<<<Set::blocks(groups, 128), 128>>>(reinterpret_cast<const float4*>(s.in), s.vectors(),
                                                        channels, groups);
      },
      [&] {
        return within(s, 12 * std::size_t{groups}, 1e-4, [&](std::size_t i) {
          return (double{float_of(i)} - double{channels.mean[i % 3]}) * double{channels.scale[i % 3]};
        });
      });
}

}  // namespace held_out_17

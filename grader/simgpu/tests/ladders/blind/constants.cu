/// @file
/// Constant memory: by warps, by lanes, and parameters at an index of a loop.
#include "blind.hpp"

namespace blind {
namespace {

struct Material {
  float colour[3], shine, rough, weight;
};
__constant__ Material materials[1024];
__constant__ float steps_of_lanes[64];
struct Coefficients {
  float of[96];
};

/// Each warp's elements are of one material; all materials take 24 kB.
__global__ void shade(const float* in, const unsigned* material, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const Material& m = materials[material[i / 32] & 1023];
  const float v = in[i];
  out[i] = (m.colour[0] + m.colour[1] * v + m.colour[2] * v * v) * m.weight + m.shine * (v - m.rough);
}
/// Four lanes beside each other ask for four words, again and again.
__global__ void weigh_by_lanes(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned lane = threadIdx.x & 3;
  float v = in[i];
#pragma unroll
  for (int k = 0; k < 16; ++k) v = v * 0.5f + steps_of_lanes[4 * k + lane];
  out[i] = v;
}
/// A polynomial whose coefficients came with the launch; how many count is known then, too.
__global__ void polynomial_of_launch(const float* in, float* out, std::size_t n, const Coefficients c,
                                     int degree) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float x = in[i] * 0.1f;
  float v = 0;
#pragma unroll 1
  for (int k = degree - 1; k >= 0; --k) v = v * x + c.of[k];
  out[i] = v;
}

float part_of(unsigned k) {
  return half_of(k + 17);
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n;
  std::vector<Material> all(1024);
  for (unsigned k = 0; k < 1024; ++k)
    all[k] = {{part_of(6 * k), part_of(6 * k + 1), part_of(6 * k + 2)},
              part_of(6 * k + 3),
              part_of(6 * k + 4),
              part_of(6 * k + 5)};
  float lanes[64];
  Coefficients c;
  for (unsigned k = 0; k < 64; ++k) lanes[k] = part_of(k);
  for (unsigned k = 0; k < 96; ++k) c.of[k] = part_of(k) - 0.5f;
  ladder::check(cudaMemcpyToSymbol(materials, all.data(), sizeof materials), "materials");
  ladder::check(cudaMemcpyToSymbol(steps_of_lanes, lanes, sizeof lanes), "lanes");
  s.run(
      "materials of warps", 2 * s.one + s.one / 32,
      [&] { shade<<<Set::blocks(n), 256>>>(s.in, s.words, s.out, n); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          const Material& m = all[word_of(i / 32) & 1023];
          const double v = float_of(i);
          const double want =
              (m.colour[0] + m.colour[1] * v + m.colour[2] * v * v) * m.weight + m.shine * (v - m.rough);
          return std::abs(s.value(i) - want) < 1e-3 * (std::abs(want) + 1);
        });
      });
  s.run(
      "four constants side by side", 2 * s.one,
      [&] { weigh_by_lanes<<<Set::blocks(n, 384), 384>>>(s.in, s.out, n); },
      [&] {
        return Set::each(n, [&](std::size_t i) {
          double v = float_of(i);
          for (unsigned k = 0; k < 16; ++k) v = v * 0.5 + lanes[4 * k + i % 4];
          return Set::near(s.value(i), v);
        });
      });
  s.run(
      "polynomial of a launch", s.one,
      [&] { polynomial_of_launch<<<Set::blocks(n / 2), 256>>>(s.in, s.out, n / 2, c, 64); },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          double v = 0;
          for (int k = 63; k >= 0; --k) v = v * (0.1 * float_of(i)) + c.of[k];
          return std::abs(s.value(i) - v) < 1e-3 * (std::abs(v) + 1);
        });
      });
}

}  // namespace blind

/// @file
/// Constant memory: lamps that all threads look at together, coefficients that lanes take by their class.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr int kLamps = 48, kClasses = 16;
__constant__ float4 lamps[kLamps];
__constant__ float curve[kClasses][4];

__global__ void light_up(const float2* at, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float2 p = at[i];
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < kLamps; ++k) {
    const float4 lamp = lamps[k];
    const float dx = p.x - lamp.x, dy = p.y - lamp.y;
    sum += lamp.w / (dx * dx + dy * dy + lamp.z);
  }
  out[i] = sum;
}
/// Lanes have up to sixteen classes: as many reads as there are different ones.
__global__ void by_class(const unsigned* classes, const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float x = in[i], *c = curve[classes[i] % kClasses];
  out[i] = ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n;
  std::vector<float4> lamps_here(kLamps);
  for (std::size_t k = 0; k < kLamps; ++k)
    lamps_here[k] = make_float4(float_of(k), other_of(k), 0.25f + half_of(k), float_of(k + 100));
  std::vector<float> curve_here(kClasses * 4);
  for (std::size_t k = 0; k < curve_here.size(); ++k) curve_here[k] = half_of(k + 5) + 0.1f;
  ladder::check(cudaMemcpyToSymbol(lamps, lamps_here.data(), sizeof lamps), "lamps");
  ladder::check(cudaMemcpyToSymbol(curve, curve_here.data(), sizeof curve), "curve");
  s.run(
      "lit by 48 lamps of constant memory", 12.0 * real(n / 64),
      [&] { light_up<<<Set::blocks(n / 64), 256>>>(reinterpret_cast<float2*>(s.in), s.out, n / 64); },
      [&] {
        return floats(s, n / 64, [&](std::size_t i) {
          double sum = 0;
          for (const float4& lamp : lamps_here) {
            const double dx = double{float_of(2 * i)} - lamp.x, dy = double{float_of(2 * i + 1)} - lamp.y;
            sum += lamp.w / (dx * dx + dy * dy + lamp.z);
          }
          return sum;
        });
      });
  s.run(
      "cubic curves of sixteen classes", 12.0 * real(n / 32),
      [&] { by_class<<<Set::blocks(n / 32), 256>>>(s.words, s.in, s.out, n / 32); },
      [&] {
        return floats(s, n / 32, [&](std::size_t i) {
          const double x = float_of(i);
          const float* c = &curve_here[word_of(i) % kClasses * 4];
          return ((c[3] * x + c[2]) * x + c[1]) * x + c[0];
        });
      });
}

}  // namespace held_out_5

/// @file
/// Constant memory: a series of a length told at run time, points of an integral written out, a network's
/// weights of 12 kB, rules at places of lanes.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

constexpr int kTerms = 64, kPoints = 16, kInputs = 4, kHidden = 512;
__constant__ float terms[kTerms];
__constant__ float2 points[kPoints];
__constant__ float weights[kHidden * (kInputs + 2)];
__constant__ unsigned rules[1024];

/// Clenshaw's way along a series of cosines.
__global__ void series(const float* in, float* out, int many, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float x = 0.125f * in[i];
  float b1 = 0, b2 = 0;
  for (int k = many - 1; k > 0; --k) {
    const float b0 = terms[k] + 2.0f * x * b1 - b2;
    b2 = b1, b1 = b0;
  }
  out[i] = terms[0] + x * b1 - b2;
}
/// The integral of exp(-a x x) x from 0 to 1 by sixteen points, all written out.
__global__ void integrals(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float a = in[i];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPoints; ++k) sum += points[k].y * __expf(-a * points[k].x * points[k].x) * points[k].x;
  out[i] = sum;
}
/// Four inputs, 512 hidden, one output.
__global__ void network(const float4* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float4 v = in[i];
  float sum = 0;
  for (int k = 0; k < kHidden; ++k) {
    const float* w = weights + k * (kInputs + 2);
    const float h = w[0] * v.x + w[1] * v.y + w[2] * v.z + w[3] * v.w - w[4];
    sum += w[5] * fmaxf(h, 0.0f);
  }
  out[i] = sum;
}
/// 24 steps by a table of 4 kB; lanes are where their words are.
__global__ void machine(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned state = in[i];
  for (int k = 0; k < 24; ++k) state = state * 5u + rules[state >> 30 | (k & 3) << 2];
  out[i] = state;
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n;
  std::vector<float> terms_here(kTerms), weights_here(kHidden * (kInputs + 2));
  std::vector<float2> points_here(kPoints);
  std::vector<unsigned> rules_here(1024);
  for (std::size_t k = 0; k < kTerms; ++k) terms_here[k] = half_of(k + 1) / static_cast<float>(k + 1);
  for (std::size_t k = 0; k < weights_here.size(); ++k)
    weights_here[k] = half_of(k + 9) * (k % 6 == 4 ? 8.0f : 1.0f);
  for (std::size_t k = 0; k < kPoints; ++k)
    points_here[k] = make_float2((static_cast<float>(k) + 0.5f) / kPoints, 1.0f / kPoints);
  for (std::size_t k = 0; k < rules_here.size(); ++k) rules_here[k] = word_of(k + 17);
  ladder::check(cudaMemcpyToSymbol(terms, terms_here.data(), sizeof terms), "terms");
  ladder::check(cudaMemcpyToSymbol(points, points_here.data(), sizeof points), "points");
  ladder::check(cudaMemcpyToSymbol(weights, weights_here.data(), sizeof weights), "weights");
  ladder::check(cudaMemcpyToSymbol(rules, rules_here.data(), sizeof rules), "rules");
  s.run(
      "series of 60 cosines, length told", 8.0 * real(n / 32),
      [&] { series<<<Set::blocks(n / 32), 256>>>(s.in, s.out, 60, n / 32); },
      [&] {
        return within(s, n / 32, 2e-3, [&](std::size_t i) {
          const double x = 0.125 * float_of(i);
          double b1 = 0, b2 = 0;
          for (std::size_t k = 59; k > 0; --k) {
            const double b0 = terms_here[k] + 2 * x * b1 - b2;
            b2 = b1, b1 = b0;
          }
          return terms_here[0] + x * b1 - b2;
        });
      });
  s.run(
      "integrals by sixteen points, written out", 8.0 * real(n / 16),
      [&] { integrals<<<Set::blocks(n / 16), 256>>>(s.in, s.out, n / 16); },
      [&] {
        return floats(s, n / 16, [&](std::size_t i) {
          double sum = 0;
          for (const float2& p : points_here) sum += p.y * std::exp(-double{float_of(i)} * p.x * p.x) * p.x;
          return sum;
        });
      });
  s.run(
      "network of 512 in constant memory", 20.0 * real(n / 512),
      [&] { network<<<Set::blocks(n / 512), 256>>>(reinterpret_cast<float4*>(s.in), s.out, n / 512); },
      [&] {
        return floats(s, n / 512, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kHidden; ++k) {
            const float* w = &weights_here[k * (kInputs + 2)];
            double h = -double{w[4]};
            for (std::size_t j = 0; j < kInputs; ++j) h += double{w[j]} * float_of(4 * i + j);
            sum += w[5] * std::max(h, 0.0);
          }
          return sum;
        });
      });
  s.run(
      "steps by rules of four places at a time", 8.0 * real(n / 64),
      [&] { machine<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), n / 64); },
      [&] {
        return numbers(s, n / 64, [&](std::size_t i) {
          unsigned state = word_of(i);
          for (unsigned k = 0; k < 24; ++k) state = state * 5u + rules_here[state >> 30 | (k & 3) << 2];
          return state;
        });
      });
}

}  // namespace held_out_6

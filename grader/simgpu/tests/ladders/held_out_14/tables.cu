/// @file
/// Constants of which each warp has its own row, loads packed by arrays of a thread, letters of texts in UTF-8.
#include "held_out_14.hpp"

namespace held_out_14 {
namespace {

constexpr unsigned kCurves = 24, kCurveTerms = 40;
__constant__ float4 curves_of_warps[kCurves * kCurveTerms / 4];
float curve_term(std::size_t k) {
  return half_of(k + 555) - 0.4f;
}
__global__ void __launch_bounds__(256)
    curve_of_warp(const unsigned* words, const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float4* curve = curves_of_warps + words[i / 32] % kCurves * (kCurveTerms / 4);
  const float x = 0.14f * in[i];
  float sum = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < kCurveTerms / 4; ++k) {
    const float4 four = curve[k];
    sum = (((sum * x + four.x) * x + four.y) * x + four.z) * x + four.w;
  }
  out[i] = sum;
}

constexpr unsigned kMostLoad = 48, kThings = 12;
struct Thing {
  unsigned weight, worth;
};
__host__ __device__ __forceinline__ Thing thing_of(unsigned word, unsigned k) {
  const unsigned bits = scrambled(word + k);
  return {3 + bits % 14, 1 + (bits >> 8) % 100};
}
/// The greatest worth for each load up to the most.
__host__ __device__ __forceinline__ unsigned best_load(unsigned word) {
  unsigned best[kMostLoad + 1];
  for (unsigned load = 0; load <= kMostLoad; ++load) best[load] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kThings; ++k) {
    const Thing thing = thing_of(word, k);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (unsigned load = kMostLoad; load >= thing.weight; --load) {
      const unsigned with = best[load - thing.weight] + thing.worth;
      if (with > best[load]) best[load] = with;
    }
  }
  return best[kMostLoad];
}
__global__ void __launch_bounds__(128) pack_loads(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = best_load(words[i]);
}

constexpr unsigned kTextWords = 256;
/// How many of four bytes do not go on with a letter, as 10xxxxxx does.
__host__ __device__ __forceinline__ unsigned letters_begun(unsigned word) {
  const unsigned going_on = word >> 7 & ~(word >> 6) & 0x01010101u;
  return 4 - (going_on * 0x01010101u >> 24);
}
__global__ void __launch_bounds__(256) letters_of_texts(const uint4* texts, unsigned* out, unsigned m) {
  const unsigned text = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (text >= m) return;
  unsigned sum = 0;
#pragma unroll
  for (unsigned k = 0; k < kTextWords / 4; k += 32) {
    const uint4 v = texts[std::size_t{text} * (kTextWords / 4) + k + lane];
    sum += letters_begun(v.x) + letters_begun(v.y) + letters_begun(v.z) + letters_begun(v.w);
  }
  sum = __reduce_add_sync(~0u, sum);
  if (lane == 0) out[text] = sum;
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<float> terms(kCurves * kCurveTerms);
  for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = curve_term(k);
  ladder::check(cudaMemcpyToSymbol(curves_of_warps, terms.data(), terms.size() * sizeof(float)), "constants");
  const unsigned on_curves = as_number(n / 8);
  s.run(
      "curves of 40 terms of constant memory, another for each warp", 8.125 * on_curves,
      [&] { curve_of_warp<<<Set::blocks(on_curves), 256>>>(s.words, s.in, s.out, on_curves); },
      [&] {
        return floats(s, on_curves, [](std::size_t i) {
          const std::size_t first = word_of(i / 32) % kCurves * kCurveTerms;
          const double x = 0.14 * float_of(i);
          double sum = 0;
          for (std::size_t k = 0; k < kCurveTerms; ++k) sum = sum * x + double{curve_term(first + k)};
          return sum;
        });
      });

  const unsigned loads = as_number(n / 1024);
  s.run(
      "loads of twelve things packed by an array of 49 a thread", 8.0 * loads,
      [&] { pack_loads<<<Set::blocks(loads, 128), 128>>>(s.words, s.numbers(), loads); },
      [&] { return numbers(s, loads, [](std::size_t i) { return best_load(word_of(i)); }); });

  const unsigned texts = as_number(n / 2 / kTextWords);
  s.run(
      "letters of texts in UTF-8 counted, a warp for 1024 bytes", (4.0 * kTextWords + 4.0) * texts,
      [&] {
        letters_of_texts<<<Set::blocks(std::size_t{texts} * 32), 256>>>(
            reinterpret_cast<const uint4*>(s.words), s.numbers(), texts);
      },
      [&] {
        return numbers(s, texts, [](std::size_t text) {
          unsigned sum = 0;
          for (std::size_t k = 4 * kTextWords * text; k < 4 * kTextWords * (text + 1); ++k)
            if ((byte_of(k) & 0xc0) != 0x80) ++sum;
          return sum;
        });
      });
}

}  // namespace held_out_14

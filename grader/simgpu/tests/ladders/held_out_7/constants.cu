/// @file
/// Constant memory whose lanes ask for different words: the lengths of codes of bytes, a series whose
/// coefficients depend on the segment that a value lies in.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

__constant__ unsigned char code_length[256];
__constant__ float series[32][6];

/// Bits that sixteen letters take.
__global__ void lengths_of_codes(const uint4* __restrict__ text, unsigned* __restrict__ bits, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 letters = text[i];
  const unsigned four[4] = {letters.x, letters.y, letters.z, letters.w};
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k)
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) sum += code_length[four[k] >> shift & 0xff];
  bits[i] = sum;
}

__global__ void series_of_segments(const float* x, float* y, int m) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float scaled = 4.0f * x[i];
  const int segment = static_cast<int>(scaled);
  const float t = scaled - static_cast<float>(segment);
  const float* c = series[segment];
  float sum = c[5];
  for (int k = 4; k >= 0; --k) sum = sum * t + c[k];
  y[i] = sum;
}

}  // namespace

void constants(Set& s) {
  const std::size_t n = s.n, m = n / 64;
  std::vector<unsigned char> lengths(256);
  for (unsigned k = 0; k < 256; ++k) lengths[k] = static_cast<unsigned char>(2 + scrambled(k + 77) % 14);
  ladder::check(cudaMemcpyToSymbol(code_length, lengths.data(), 256), "lengths");
  s.run(
      "lengths of codes added up from constants", 20.0 * real(m),
      [&] {
        lengths_of_codes<<<Set::blocks(m), 256>>>(reinterpret_cast<const uint4*>(s.words), s.numbers(), m);
      },
      [&] {
        return numbers(s, m, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < 16; ++k) sum += lengths[byte_of(16 * i + k)];
          return sum;
        });
      });
  std::vector<float> coefficients(32 * 6);
  for (std::size_t k = 0; k < coefficients.size(); ++k)
    coefficients[k] = 0.25f + static_cast<float>(word_of(k + 9) & 1023) / 1024;
  ladder::check(cudaMemcpyToSymbol(series, coefficients.data(), sizeof series), "series");
  const int values = static_cast<int>(n / 16);
  s.run(
      "series of the segment that a value lies in", 8.0 * values,
      [&] { series_of_segments<<<(values + 191) / 192, 192>>>(s.in, s.out, values); },
      [&] {
        return floats(s, n / 16, [&](std::size_t i) {
          const double scaled = 4.0 * float_of(i);
          const auto segment = static_cast<std::size_t>(scaled);
          double sum = 0, power = 1;
          for (std::size_t k = 0; k < 6; ++k, power *= scaled - real(segment))
            sum += coefficients[segment * 6 + k] * power;
          return sum;
        });
      });
}

}  // namespace held_out_7

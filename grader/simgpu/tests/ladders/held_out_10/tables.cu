/// @file
/// Constant memory: the same tap for all lanes, a rate of its own for each. An array of a thread at places
/// known as it runs: in how many ways coins make a sum.
#include "held_out_10.hpp"

namespace held_out_10 {
namespace {

constexpr unsigned kTaps = 21;
__constant__ float line_taps[kTaps];
__global__ void weigh_line(const float* in, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float sum = 0.0f;
  for (unsigned k = 0; k < kTaps; ++k) sum += line_taps[k] * in[i + k];
  out[i] = sum;
}

constexpr unsigned kCurrencies = 180;
__constant__ float exchange_rates[kCurrencies];
__global__ void exchange_amounts(const float* amounts, const unsigned* codes, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = amounts[i] * exchange_rates[codes[i] % kCurrencies];
}

constexpr unsigned kPaid = 60, kCoins = 4;
__host__ __device__ __forceinline__ unsigned coin_of(unsigned word, unsigned k) {
  return 1 + k + (word >> (4 * k) & 15);
}
__global__ void __launch_bounds__(128) ways_to_pay(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const unsigned word = words[i];
  unsigned ways[kPaid + 1];
  ways[0] = 1;
  for (unsigned sum = 1; sum <= kPaid; ++sum) ways[sum] = 0;
  for (unsigned k = 0; k < kCoins; ++k) {
    const unsigned coin = coin_of(word, k);
#pragma unroll 1
    for (unsigned sum = coin; sum <= kPaid; ++sum) ways[sum] += ways[sum - coin];
  }
  out[i] = ways[kPaid];
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<float> taps(kTaps), rates(kCurrencies);
  for (std::size_t k = 0; k < kTaps; ++k) taps[k] = 0.01f + 0.1f * half_of(k + 11);
  for (std::size_t k = 0; k < kCurrencies; ++k) rates[k] = 0.5f + half_of(k + 200);
  ladder::check(cudaMemcpyToSymbol(line_taps, taps.data(), sizeof line_taps), "taps");
  ladder::check(cudaMemcpyToSymbol(exchange_rates, rates.data(), sizeof exchange_rates), "rates");
  const unsigned weighed = as_number(n / 4);
  s.run(
      "twenty-one taps of constant memory along a line", 8.0 * weighed,
      [&] { weigh_line<<<Set::blocks(weighed), 256>>>(s.in, s.out, weighed); },
      [&] {
        return floats(s, weighed, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < kTaps; ++k) sum += double{taps[k]} * float_of(i + k);
          return sum;
        });
      });
  s.run(
      "amounts exchanged at 180 rates of constant memory", 12.0 * weighed,
      [&] { exchange_amounts<<<Set::blocks(weighed), 256>>>(s.in, s.words, s.out, weighed); },
      [&] {
        return floats(s, weighed,
                      [&](std::size_t i) { return double{float_of(i)} * rates[word_of(i) % kCurrencies]; });
      });
  const unsigned payers = as_number(n / 256);
  s.run(
      "ways to pay sixty with four coins", 8.0 * payers,
      [&] { ways_to_pay<<<Set::blocks(payers, 128), 128>>>(s.words, s.numbers(), payers); },
      [&] {
        const auto got = taken(s.numbers(), payers);
        for (std::size_t i = 0; i < payers; i += 1 + payers / 200) {
          const unsigned word = word_of(i), a = coin_of(word, 0), b = coin_of(word, 1), c = coin_of(word, 2),
                         d = coin_of(word, 3);
          unsigned ways = 0;
          for (unsigned x = 0; x <= kPaid; x += a)
            for (unsigned y = x; y <= kPaid; y += b)
              for (unsigned z = y; z <= kPaid; z += c) ways += (kPaid - z) % d == 0 ? 1 : 0;
          if (got[i] != ways) return false;
        }
        return true;
      });
}

}  // namespace held_out_10

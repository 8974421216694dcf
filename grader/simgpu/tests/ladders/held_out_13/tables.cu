/// @file
/// Constant memory of which each lane wants another part: taxes by brackets. Arrays of a thread: polynomials
/// multiplied.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

constexpr unsigned kBrackets = 16;
struct Bracket {
  float from, owed, rate;
};
__constant__ Bracket brackets[kBrackets];
/// The bracket is found by halving.
__global__ void __launch_bounds__(256) taxes_of(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float income = in[i] * in[i];
  unsigned at = 0;
#pragma unroll
  for (unsigned step = kBrackets / 2; step > 0; step /= 2)
    if (income >= brackets[at + step].from) at += step;
  const Bracket found = brackets[at];
  out[i] = found.owed + found.rate * (income - found.from);
}

constexpr unsigned kFactorTerms = 20, kProductTerms = 2 * kFactorTerms - 1;
/// The greatest factor of the product, and the one that the word names.
__global__ void __launch_bounds__(128)
    multiply_polynomials(const float* in, const unsigned* words, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float a[kFactorTerms], b[kFactorTerms], c[kProductTerms];
#pragma unroll 1
  for (unsigned k = 0; k < kFactorTerms; ++k) {
    a[k] = in[k * m + i];
    b[k] = in[(kFactorTerms + k) * m + i];
  }
#pragma unroll 1
  for (unsigned k = 0; k < kProductTerms; ++k) c[k] = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < kFactorTerms; ++k) {
    const float by = a[k];
#pragma unroll 1
    for (unsigned j = 0; j < kFactorTerms; ++j) c[k + j] += by * b[j];
  }
  float greatest = 0.0f;
#pragma unroll 1
  for (unsigned k = 0; k < kProductTerms; ++k) greatest = fmaxf(greatest, c[k]);
  out[i] = make_float2(greatest, c[words[i] % kProductTerms]);
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<Bracket> all(kBrackets);
  float from = 0.0f, owed = 0.0f;
  for (std::size_t k = 0; k < kBrackets; ++k) {
    const float rate = 0.05f + 0.03f * static_cast<float>(k), wide = 1.0f + 0.25f * static_cast<float>(k);
    all[k] = {from, owed, rate};
    owed += rate * wide;
    from += wide;
  }
  ladder::check(cudaMemcpyToSymbol(brackets, all.data(), sizeof brackets), "brackets");
  const std::size_t payers = n / 16;
  s.run(
      "taxes by sixteen brackets of constant memory, found by halving", 8.0 * real(payers),
      [&] { taxes_of<<<Set::blocks(payers), 256>>>(s.in, s.out, payers); },
      [&] {
        return floats(s, payers, [&](std::size_t i) {
          const double income = double{float_of(i)} * float_of(i);
          double tax = 0;
          for (std::size_t k = 0; k < kBrackets && income > all[k].from; ++k) {
            const double upto = k + 1 < kBrackets ? std::min(income, double{all[k + 1].from}) : income;
            tax += all[k].rate * (upto - all[k].from);
          }
          return tax;
        });
      });

  const unsigned multiplied = as_number(n / 1024);
  s.run(
      "polynomials of twenty terms multiplied in arrays of a thread",
      4.0 * (2 * kFactorTerms + 3) * multiplied,
      [&] {
        multiply_polynomials<<<Set::blocks(multiplied, 128), 128>>>(
            s.in, s.words, reinterpret_cast<float2*>(s.out), multiplied);
      },
      [&] {
        return floats(s, 2 * std::size_t{multiplied}, [&](std::size_t at) {
          const std::size_t i = at / 2;
          std::vector<double> c(kProductTerms);
          for (std::size_t k = 0; k < kFactorTerms; ++k)
            for (std::size_t j = 0; j < kFactorTerms; ++j)
              c[k + j] +=
                  double{float_of(k * multiplied + i)} * float_of((kFactorTerms + j) * multiplied + i);
          return at % 2 == 0 ? *std::max_element(c.begin(), c.end()) : c[word_of(i) % kProductTerms];
        });
      });
}

}  // namespace held_out_13

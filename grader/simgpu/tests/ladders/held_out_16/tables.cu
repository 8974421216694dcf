/// @file
/// Gates listed in constant memory whose values an array of each thread keeps, spectra that do not fit in a
/// thread's registers.
#include "held_out_16.hpp"

namespace held_out_16 {
namespace {

constexpr unsigned kInputs = 16, kGates = 80, kAnswers = 8;
__constant__ unsigned gates_of_all[kGates];
/// The lower bytes tell whose values a gate takes, the third what it does.
unsigned gate_of(unsigned k) {
  const unsigned bits = word_of(k + 4242), known = kInputs + k;
  return (bits & 0xffff) % known | (bits >> 16 & 0xff) % known << 8 | bits >> 30 << 16;
}
__host__ __device__ __forceinline__ unsigned input_of(unsigned word, unsigned k) {
  return (word ^ word >> (k + 1)) * (2 * k + 3);
}
/// Thirty-two cases are bits of a word.
__host__ __device__ __forceinline__ unsigned answer_of_gates(const unsigned* gates, unsigned word) {
  unsigned values[kInputs + kGates];
  for (unsigned k = 0; k < kInputs; ++k) values[k] = input_of(word, k);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kGates; ++k) {
    const unsigned gate = gates[k], a = values[gate & 255], b = values[gate >> 8 & 255], does = gate >> 16;
    values[kInputs + k] = does == 0 ? a & b : does == 1 ? a | b : does == 2 ? a ^ b : ~(a & b);
  }
  unsigned answer = 0;
  for (unsigned k = 0; k < kAnswers; ++k) answer = answer * 5 + values[kInputs + kGates - 1 - k];
  return answer;
}
__global__ void __launch_bounds__(256) pass_through_gates(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = answer_of_gates(gates_of_all, words[i]);
}

constexpr unsigned kPoints = 16;
/// The cosine of so many sixteenths of a turn, up to half a turn.
__device__ __forceinline__ float cosine_of_sixteenths(unsigned k) {
  const unsigned from_end = k <= 4 ? k : 8 - k;
  const float c = from_end == 0   ? 1.0f
                  : from_end == 1 ? 0.92387953f
                  : from_end == 2 ? 0.70710678f
                  : from_end == 3 ? 0.38268343f
                                  : 0.0f;
  return k <= 4 ? c : -c;
}
/// Points are m apart. There are 32 registers a thread, and its points alone are as many words.
__global__ void __launch_bounds__(256, 8)
    spectra_in_few_registers(const float2* in, float2* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  float2 v[kPoints];
#pragma unroll
  for (unsigned k = 0; k < kPoints; ++k) v[k] = in[std::size_t{k} * m + i];
#pragma unroll
  for (unsigned half = kPoints / 2; half > 0; half /= 2)
#pragma unroll
    for (unsigned k = 0; k < kPoints / 2; ++k) {
      const unsigned low = k / half * (2 * half) + k % half, high = low + half,
                     turn = k % half * (kPoints / 2 / half);
      const float2 a = v[low], b = v[high];
      const float x = a.x - b.x, y = a.y - b.y, cosine = cosine_of_sixteenths(turn),
                  sine = -cosine_of_sixteenths(turn < 4 ? 4 - turn : turn - 4);
      v[low] = make_float2(a.x + b.x, a.y + b.y);
      v[high] = make_float2(x * cosine - y * sine, x * sine + y * cosine);
    }
    // The one at place k is that whose number has k's bits turned round.
#pragma unroll
  for (unsigned k = 0; k < kPoints; ++k)
    out[std::size_t{(k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | (k & 8) >> 3} * m + i] = v[k];
}

}  // namespace

void tables(Set& s) {
  const std::size_t n = s.n;
  std::vector<unsigned> gates(kGates);
  for (unsigned k = 0; k < kGates; ++k) gates[k] = gate_of(k);
  ladder::check(cudaMemcpyToSymbol(gates_of_all, gates.data(), sizeof gates_of_all), "constants");
  const unsigned passed = as_number(n / 128);
  s.run(
      "eighty gates listed in constant memory, their values in an array of a thread", 8.0 * passed,
      [&] { pass_through_gates<<<Set::blocks(passed), 256>>>(s.words, s.numbers(), passed); },
      [&] {
        return numbers(s, passed, [&](std::size_t i) { return answer_of_gates(gates.data(), word_of(i)); });
      });

  const unsigned spectra = as_number(n / 4 / (2 * kPoints));
  s.run(
      "spectra of sixteen points in 32 registers a thread", 16.0 * kPoints * spectra,
      [&] {
        spectra_in_few_registers<<<Set::blocks(spectra), 256>>>(reinterpret_cast<const float2*>(s.in),
                                                                reinterpret_cast<float2*>(s.out), spectra);
      },
      [&] {
        return within(s, std::size_t{2 * kPoints} * spectra, 0.01, [&](std::size_t i) {
          const std::size_t point = i / 2 / spectra, of = i / 2 % spectra;
          double sum = 0;
          for (std::size_t k = 0; k < kPoints; ++k) {
            const double angle = -2 * std::acos(-1.0) * real(k * point) / kPoints,
                         x = float_of(2 * (k * spectra + of)), y = float_of(2 * (k * spectra + of) + 1);
            sum += i % 2 == 0 ? x * std::cos(angle) - y * std::sin(angle)
                              : x * std::sin(angle) + y * std::cos(angle);
          }
          return sum;
        });
      });
}

}  // namespace held_out_16

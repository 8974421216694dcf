/// @file
/// Long arithmetic: sums of decimal digits, the error function of doubles, programs of twelve kinds of steps;
/// a grid of seven blocks an SM where six fit, a copy by few SMs.
#include "held_out_13.hpp"

namespace held_out_13 {
namespace {

/// Of the word's square.
__host__ __device__ __forceinline__ unsigned digits_of_square(unsigned word) {
  unsigned sum = 0;
  for (unsigned long long left = static_cast<unsigned long long>(word) * word; left != 0; left /= 10)
    sum += static_cast<unsigned>(left % 10);
  return sum;
}
__global__ void add_digits(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = digits_of_square(words[i]);
}

__global__ void __launch_bounds__(256) error_function(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = erf(0.4 * in[i] - 0.1);
}

constexpr unsigned kStepKinds = 12, kProgramWords = 6;
__host__ __device__ __forceinline__ void do_step(unsigned kind, unsigned& x, unsigned& y) {
  switch (kind) {
    case 0:
      x += y;
      break;
    case 1:
      x ^= y >> 3;
      break;
    case 2:
      x *= 0x9e3779b1u;
      break;
    case 3: {
      const unsigned kept_x = x;
      x = y;
      y = kept_x;
      break;
    }
    case 4:
      y = y << 7 | y >> 25;
      break;
    case 5:
      x = x % 1000003u + y;
      break;
    case 6:
      y -= x << 2;
      break;
    case 7:
      y = x > y ? x - y : y - x;
      break;
    case 8:
      x = x / (y % 31u + 1u);
      break;
    case 9:
      y = y * y + 1u;
      break;
    case 10:
      x = (x & y) + 77u;
      break;
    default:
      y |= x & 0x55555555u;
      break;
  }
}
/// Each thread has a program of 24 steps, four in a word.
__global__ void __launch_bounds__(256) run_programs(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned x = i, y = 12345u;
#pragma unroll 1
  for (unsigned k = 0; k < kProgramWords; ++k) {
    unsigned steps = words[k * m + i];
#pragma unroll 1
    for (unsigned j = 0; j < 4; ++j, steps >>= 8) do_step((steps & 255) % kStepKinds, x, y);
  }
  out[i] = x ^ y;
}

constexpr unsigned kSixFit = 9216, kSevenThreads = 128, kWalkSteps = 384;
/// 36 kB of shared memory a block.
__global__ void __launch_bounds__(kSevenThreads) seven_where_six_fit(const float4* in, float* out) {
  extern __shared__ float4 sixth[];
  for (unsigned k = threadIdx.x; k < kSixFit / 4; k += kSevenThreads)
    sixth[k] = in[blockIdx.x * (kSixFit / 4) + k];
  __syncthreads();
  const auto* values = reinterpret_cast<const float*>(sixth);
  unsigned at = threadIdx.x;
  float v = 1.0f;
#pragma unroll 1
  for (unsigned k = 0; k < kWalkSteps; ++k) {
    v = rsqrtf(0.5f * v + values[at]);
    at += kSevenThreads + 1;
    if (at >= kSixFit) at -= kSixFit;
  }
  out[global_index()] = v;
}

constexpr unsigned kFewThreads = 1024, kFewTurns = 96;
/// Two vectors of each thread are on their way at once.
__global__ void __launch_bounds__(kFewThreads) copy_by_few(const float4* in, float4* out) {
  const std::size_t base = std::size_t{blockIdx.x} * kFewThreads * kFewTurns + threadIdx.x;
  for (unsigned k = 0; k < kFewTurns; k += 2) {
    const float4 a = in[base + k * kFewThreads], b = in[base + (k + 1) * kFewThreads];
    out[base + k * kFewThreads] = a;
    out[base + (k + 1) * kFewThreads] = b;
  }
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned squares = as_number(n / 64);
  s.run(
      "digits of squares of 64 bits added up", 8.0 * squares,
      [&] { add_digits<<<Set::blocks(squares), 256>>>(s.words, s.numbers(), squares); },
      [&] { return numbers(s, squares, [](std::size_t i) { return digits_of_square(word_of(i)); }); });

  const unsigned errors = as_number(n / 64);
  s.run(
      "error function of doubles", 12.0 * errors,
      [&] { error_function<<<Set::blocks(errors), 256>>>(s.in, reinterpret_cast<double*>(s.out), errors); },
      [&] { return doubles(s, errors, [](std::size_t i) { return std::erf(0.4 * float_of(i) - 0.1); }); });

  const unsigned programs = as_number(n / 64);
  s.run(
      "programs of 24 steps of twelve kinds, a thread each", 4.0 * (kProgramWords + 1) * programs,
      [&] { run_programs<<<Set::blocks(programs), 256>>>(s.words, s.numbers(), programs); },
      [&] {
        return numbers(s, programs, [&](std::size_t i) {
          unsigned x = as_number(i), y = 12345u;
          for (std::size_t k = 0; k < 4 * kProgramWords; ++k)
            do_step((word_of(k / 4 * programs + i) >> (8 * (k % 4)) & 255) % kStepKinds, x, y);
          return x ^ y;
        });
      });

  ladder::check(cudaFuncSetAttribute(seven_where_six_fit, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     kSixFit * sizeof(float)),
                "shared memory");
  const unsigned sevens = s.sms * 7;
  s.run(
      "seven blocks an SM where shared memory lets six in", 4.0 * (kSixFit + kSevenThreads) * sevens,
      [&] {
        seven_where_six_fit<<<sevens, kSevenThreads, kSixFit * sizeof(float)>>>(
            reinterpret_cast<const float4*>(s.in), s.out);
      },
      [&] {
        return floats(s, std::size_t{kSevenThreads} * sevens, [](std::size_t i) {
          double v = 1;
          for (std::size_t k = 0; k < kWalkSteps; ++k)
            v = 1 / std::sqrt(0.5 * v + float_of(i / kSevenThreads * kSixFit +
                                                 (i % kSevenThreads + k * (kSevenThreads + 1)) % kSixFit));
          return v;
        });
      });

  const unsigned few = s.sms * 2 / 11;
  constexpr unsigned kOfFew = kFewThreads * kFewTurns;
  s.run(
      "vectors copied by two SMs of eleven", 32.0 * kOfFew * few,
      [&] { copy_by_few<<<few, kFewThreads>>>(reinterpret_cast<const float4*>(s.in), s.vectors()); },
      [&] {
        return floats(s, std::size_t{4} * kOfFew * few, [](std::size_t i) { return double{float_of(i)}; });
      });
}

}  // namespace held_out_13

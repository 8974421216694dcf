/// @file
/// What is drawn by chance: prices along paths of 32 steps, spins of one colour turned over.
#include "held_out_4.hpp"

namespace held_out_4 {
namespace {

constexpr unsigned kSteps = 32;
/// Two draws of a bell curve from each two numbers; the mean along the way is what counts.
template <typename Value>
__host__ __device__ __forceinline__ Value mean_of_path(unsigned seed) {
  unsigned state = seed;
  Value price = 100, sum = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned k = 0; k < kSteps; k += 2) {
    state = state * 1664525u + 1013904223u;
    const Value u = (static_cast<Value>(state >> 8) + Value(0.5)) * Value(1.0 / 16777216);
    state = state * 1664525u + 1013904223u;
    const Value v = static_cast<Value>(state >> 8) * Value(6.283185307179586 / 16777216);
#ifdef __CUDA_ARCH__
    const Value far = sqrtf(-2.0f * logf(u)), a = far * cosf(v), b = far * sinf(v);
    price *= expf(0.0005f + 0.03f * a), sum += price;
    price *= expf(0.0005f + 0.03f * b), sum += price;
#else
    const Value far = std::sqrt(-2 * std::log(u)), a = far * std::cos(v), b = far * std::sin(v);
    price *= std::exp(Value(0.0005) + Value(0.03) * a), sum += price;
    price *= std::exp(Value(0.0005) + Value(0.03) * b), sum += price;
#endif
  }
  return sum / kSteps;
}
__global__ void paths(const unsigned* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = mean_of_path<float>(in[i]);
}
constexpr unsigned kChancesWidth = 1024;
/// A byte a spin: 0 or 1. Fields of even x + y; the more neighbours agree, the less likely it is to turn
/// over.
__host__ __device__ __forceinline__ unsigned char turned_over(unsigned self, unsigned around, unsigned at) {
  const unsigned alike = self != 0 ? around : 4 - around;
  const unsigned chance = alike <= 2 ? ~0u : alike == 3 ? 730000000u : 124000000u;
  return static_cast<unsigned char>(2 + (scrambled(at + 77) <= chance ? 1 - self : self));
}
__global__ void turn_spins(const unsigned char* in, unsigned char* out, unsigned height) {
  const unsigned y = blockIdx.y * 4 + threadIdx.y, x = 2 * (blockIdx.x * 64 + threadIdx.x) + y % 2;
  if (y >= height) return;
  const auto spin = [&](unsigned u, unsigned v) { return unsigned{in[v * kChancesWidth + u]} & 1; };
  const unsigned around = spin((x + 1) % kChancesWidth, y) +
                          spin((x + kChancesWidth - 1) % kChancesWidth, y) +
                          spin(x, y + 1 == height ? 0 : y + 1) + spin(x, y == 0 ? height - 1 : y - 1);
  out[y * kChancesWidth + x] = turned_over(spin(x, y), around, y * kChancesWidth + x);
}

}  // namespace

void chances(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "prices along paths of 32 steps", 8.0 * real(n / 256),
      [&] { paths<<<Set::blocks(n / 256), 256>>>(s.words, s.out, n / 256); },
      [&] { return floats(s, n / 256, [](std::size_t i) { return mean_of_path<double>(word_of(i)); }); });
  const unsigned height = as_number(n / 16 / kChancesWidth);
  s.run(
      "spins of one colour turned over", real(n / 16),
      [&] {
        turn_spins<<<dim3(kChancesWidth / 128, Set::blocks(height, 4)), dim3(64, 4)>>>(
            reinterpret_cast<unsigned char*>(s.words), reinterpret_cast<unsigned char*>(s.out), height);
      },
      [&] {
        const auto spin = [](unsigned u, unsigned v) {
          return byte_of(v * std::size_t{kChancesWidth} + u) & 1;
        };
        return Set::each(height * std::size_t{kChancesWidth / 2}, [&](std::size_t k) {
          const unsigned y = as_number(k / (kChancesWidth / 2)),
                         x = as_number(2 * (k % (kChancesWidth / 2)) + y % 2);
          const unsigned around = spin((x + 1) % kChancesWidth, y) +
                                  spin((x + kChancesWidth - 1) % kChancesWidth, y) +
                                  spin(x, (y + 1) % height) + spin(x, (y + height - 1) % height);
          return s.byte(y * std::size_t{kChancesWidth} + x) ==
                 turned_over(spin(x, y), around, y * kChancesWidth + x);
        });
      });
}

}  // namespace held_out_4

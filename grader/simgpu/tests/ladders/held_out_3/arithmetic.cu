/// @file
/// Much arithmetic on few words: random numbers of two kinds, exponentials of doubles, quotients.
#include "held_out_3.hpp"

namespace held_out_3 {
namespace {

/// The sum of 64 draws.
__host__ __device__ __forceinline__ unsigned drawn(unsigned seed) {
  unsigned state = seed | 1, sum = 0;
  for (int k = 0; k < 64; ++k) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    sum += state >> 8;
  }
  return sum;
}
__global__ void draws(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = drawn(in[i]);
}
struct Four {
  unsigned v[4];
};
/// Ten rounds of Philox on a counter.
__host__ __device__ __forceinline__ Four philox(unsigned counter) {
  Four x = {{counter, 0, 17, 4}};
  unsigned k0 = 0x1234567, k1 = 0x89abcde;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (int r = 0; r < 10; ++r, k0 += 0x9e3779b9u, k1 += 0xbb67ae85u) {
    const unsigned long long a = 0xd2511f53ull * x.v[0], b = 0xcd9e8d57ull * x.v[2];
    x = {{static_cast<unsigned>(b >> 32) ^ x.v[1] ^ k0, static_cast<unsigned>(b),
          static_cast<unsigned>(a >> 32) ^ x.v[3] ^ k1, static_cast<unsigned>(a)}};
  }
  return x;
}
__global__ void four_words(uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const Four x = philox(static_cast<unsigned>(i));
  out[i] = make_uint4(x.v[0], x.v[1], x.v[2], x.v[3]);
}
__global__ void bells(const float* in, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const double x = in[i];
  out[i] = exp(-0.5 * x * x) + exp(-x);
}
/// A fraction of fractions, twelve deep.
__global__ void fractions(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float x = in[i];
  float v = 1;
#pragma unroll 4
  for (int k = 0; k < 12; ++k) v = 1.0f + x / (v + static_cast<float>(k));
  out[i] = v;
}

}  // namespace

void arithmetic(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "64 draws by shifts", 8.0 * real(n / 64),
      [&] { draws<<<Set::blocks(n / 64), 256>>>(s.words, s.numbers(), n / 64); },
      [&] { return numbers(s, n / 64, [](std::size_t i) { return drawn(word_of(i)); }); });
  s.run(
      "ten rounds of Philox for four words", 16.0 * real(n / 32),
      [&] { four_words<<<Set::blocks(n / 32), 256>>>(reinterpret_cast<uint4*>(s.out), n / 32); },
      [&] { return numbers(s, n / 8, [](std::size_t i) { return philox(as_number(i / 4)).v[i % 4]; }); });
  s.run(
      "exponentials of doubles", 12.0 * real(n / 64),
      [&] { bells<<<Set::blocks(n / 64, 128), 128>>>(s.in, reinterpret_cast<double*>(s.out), n / 64); },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          const double x = float_of(i), got = Checked::at(reinterpret_cast<double*>(s.out), i);
          return std::abs(got / (std::exp(-0.5 * x * x) + std::exp(-x)) - 1) < 1e-12;
        });
      });
  s.run(
      "twelve quotients in a chain", 8.0 * real(n / 64),
      [&] { fractions<<<Set::blocks(n / 64), 256>>>(s.in, s.out, n / 64); },
      [&] {
        return floats(
            s, n / 64,
            [](std::size_t i) {
              double v = 1;
              for (int k = 0; k < 12; ++k) v = 1 + float_of(i) / (v + k);
              return v;
            },
            1e-5);
      });
}

}  // namespace held_out_3

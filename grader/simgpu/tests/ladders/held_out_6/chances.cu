/// @file
/// Chances and prices: walks on a grid, binomial trees of prices in shared memory, normal numbers made of
/// words.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__host__ __device__ __forceinline__ unsigned next_of(unsigned long long& state) {
  const unsigned long long old = state;
  state = old * 6364136223846793005ull + 1442695040888963407ull;
  const auto mixed = static_cast<unsigned>(((old >> 18) ^ old) >> 27), by = static_cast<unsigned>(old >> 59);
  return mixed >> by | mixed << (32 - by) % 32;
}
/// A walk of 128 steps in four directions: how far it came, squared.
__host__ __device__ __forceinline__ unsigned walk(unsigned seed) {
  unsigned long long state = scrambled(seed) | 1ull << 40;
  int x = 0, y = 0;
  for (int k = 0; k < 8; ++k) {
    unsigned w = next_of(state);
    for (int j = 0; j < 16; ++j, w >>= 2) {
      const int by = (w & 2) != 0 ? 1 : -1;
      if ((w & 1) != 0)
        x += by;
      else
        y += by;
    }
  }
  return static_cast<unsigned>(x * x + y * y) + 1;
}
__global__ void walks(unsigned* out) {
  const std::size_t i = global_index();
  out[i] = walk(static_cast<unsigned>(i));
}
constexpr int kSteps = 128;
template <typename T>
__host__ __device__ __forceinline__ T leaf(T price, T strike, int ups) {
  const T end = price * exp(T(0.02) * T(2 * ups - kSteps));
  return end > strike ? end - strike : T(0);
}
/// A block has an option: leaves in shared memory, back to the root.
__global__ void __launch_bounds__(kSteps) trees(const float* prices, const float* strikes, float* out) {
  __shared__ float values[kSteps + 1];
  const int t = static_cast<int>(threadIdx.x);
  const float price = prices[blockIdx.x], strike = strikes[blockIdx.x];
  values[t] = leaf(price, strike, t);
  if (t == 0) values[kSteps] = leaf(price, strike, kSteps);
  for (int step = kSteps; step > 0; --step) {
    __syncthreads();
    const float v = t < step ? 0.4995f * values[t + 1] + 0.4995f * values[t] : 0.0f;
    __syncthreads();
    if (t < step) values[t] = v;
  }
  if (t == 0) out[blockIdx.x] = values[0];
}
/// Two normal numbers of two words, kept side by side.
__global__ void normals(const uint2* in, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint2 w = in[i];
  const float u = (static_cast<float>(w.x >> 8) + 0.5f) * (1.0f / 16777216),
              v = static_cast<float>(w.y >> 8) * (1.0f / 16777216);
  const float radius = sqrtf(-2.0f * logf(u));
  float sine, cosine;
  sincospif(2.0f * v, &sine, &cosine);
  out[i] = make_float2(radius * cosine, radius * sine);
}

}  // namespace

void chances(Set& s) {
  const std::size_t n = s.n;
  const unsigned grid = s.sms * 32;
  s.run(
      "walks of 128 steps", 4.0 * grid * 256, [&] { walks<<<grid, 256>>>(s.numbers()); },
      [&] { return numbers(s, grid * std::size_t{256}, [](std::size_t i) { return walk(as_number(i)); }); });
  const unsigned options = s.sms * 64;
  s.run(
      "trees of prices of 128 steps, a block each", 12.0 * options,
      [&] { trees<<<options, kSteps>>>(s.in, s.other, s.out); },
      [&] {
        return floats(
            s, options,
            [](std::size_t i) {
              std::vector<double> v(kSteps + 1);
              for (int k = 0; k <= kSteps; ++k)
                v[static_cast<std::size_t>(k)] = leaf(double{float_of(i)}, double{other_of(i)}, k);
              for (std::size_t step = kSteps; step > 0; --step)
                for (std::size_t k = 0; k < step; ++k) v[k] = 0.4995 * (v[k + 1] + v[k]);
              return v[0];
            },
            5e-3);
      });
  s.run(
      "normal numbers of pairs of words", 16.0 * real(n / 16),
      [&] {
        normals<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<uint2*>(s.words),
                                              reinterpret_cast<float2*>(s.out), n / 16);
      },
      [&] {
        return within(s, n / 8, 1e-3, [](std::size_t i) {
          const double u = ((word_of(i / 2 * 2) >> 8) + 0.5) / 16777216,
                       v = (word_of(i / 2 * 2 + 1) >> 8) / 16777216.0;
          const double radius = std::sqrt(-2 * std::log(u)), angle = 2 * 3.14159265358979324 * v;
          return radius * (i % 2 == 0 ? std::cos(angle) : std::sin(angle));
        });
      });
}

}  // namespace held_out_6

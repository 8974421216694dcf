/// @file
/// Chances: darts counted in whole numbers, paths of a price with normal draws, prices of options in doubles.
#include "held_out_5.hpp"

namespace held_out_5 {
namespace {

constexpr int kDarts = 128, kSteps = 24;

__host__ __device__ __forceinline__ unsigned shifted(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}
__host__ __device__ __forceinline__ unsigned hits(unsigned seed) {
  unsigned state = scrambled(seed) | 1, inside = 0;
  for (int k = 0; k < kDarts; ++k) {
    const unsigned x = shifted(state) >> 17, y = shifted(state) >> 17;
    inside += x * x + y * y < 1u << 30;
  }
  return inside;
}
__global__ void throw_darts(unsigned* count) {
  unsigned inside = hits(static_cast<unsigned>(global_index()));
  inside = __reduce_add_sync(~0u, inside);
  if (threadIdx.x % 32 == 0) atomicAdd(count, inside);
}
/// The mean price along a path: Box and Muller make two normal numbers of two words.
template <typename T>
__host__ __device__ __forceinline__ T mean_price(unsigned seed) {
  unsigned state = scrambled(seed) | 1;
  T price = T(1), sum = T(0);
  for (int k = 0; k < kSteps; ++k) {
    const T u = (T(shifted(state) >> 8) + T(0.5)) * T(1.0 / 16777216),
            v = T(shifted(state) >> 8) * T(1.0 / 16777216);
    const T radius = sqrt(T(-2) * log(u)), angle = T(6.28318530717958648) * v;
    price *= exp(T(0.001) + T(0.02) * radius * cos(angle));
    price *= exp(T(0.001) + T(0.02) * radius * sin(angle));
    sum += price;
  }
  return sum * T(1.0 / kSteps);
}
__global__ void mean_prices(float* out) {
  const std::size_t i = global_index();
  out[i] = mean_price<float>(static_cast<unsigned>(i));
}
__host__ __device__ __forceinline__ double call(double price, double strike, double years) {
  const double spread = 0.3 * sqrt(years), d = (log(price / strike) + (0.02 + 0.045) * years) / spread;
  return price * 0.5 * erfc(-d * 0.70710678118654752) -
         strike * exp(-0.02 * years) * 0.5 * erfc(-(d - spread) * 0.70710678118654752);
}
__global__ void calls(const float* price, const float* strike, double* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = call(price[i], strike[i], 0.25 + 0.1 * static_cast<double>(i % 32));
}

}  // namespace

void chances(Set& s) {
  const unsigned grid = s.sms * 16;
  s.run(
      "darts counted in whole numbers", 4.0 * grid * 256,
      [&] {
        cudaMemsetAsync(s.out, 0, 4);
        throw_darts<<<grid, 256>>>(s.numbers());
      },
      [&] {
        unsigned want = 0;
        for (unsigned i = 0; i < grid * 256; ++i) want += hits(i);
        return s.number(0) == want;
      });
  s.run(
      "mean prices along paths of normal draws", 4.0 * grid * 256, [&] { mean_prices<<<grid, 256>>>(s.out); },
      [&] {
        return floats(s, grid * std::size_t{256},
                      [](std::size_t i) { return mean_price<double>(as_number(i)); });
      });
  const std::size_t m = s.n / 128;
  s.run(
      "prices of options in doubles", 16.0 * real(m),
      [&] { calls<<<Set::blocks(m, 128), 128>>>(s.in, s.other, reinterpret_cast<double*>(s.out), m); },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          return Set::near(Checked::at(reinterpret_cast<double*>(s.out), i),
                           call(float_of(i), other_of(i), 0.25 + 0.1 * real(i % 32)), 1e-9);
        });
      });
}

}  // namespace held_out_5

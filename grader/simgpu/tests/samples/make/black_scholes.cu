/// @file
/// Prices of European options; call and put hang together by parity.
#include <cmath>

#include "buffer.cuh"

__device__ inline float normal_cdf(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  const float tail =
      0.39894228f * __expf(-0.5f * d * d) * k *
      (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(float* call, float* put, const float* price, const float* strike,
                              const float* years, float rate, float volatility, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float root = sqrtf(years[i]);
  const float d1 =
      (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / (volatility * root);
  const float d2 = d1 - volatility * root, discount = expf(-rate * years[i]);
  call[i] = price[i] * normal_cdf(d1) - strike[i] * discount * normal_cdf(d2);
  put[i] = strike[i] * discount * (1.0f - normal_cdf(d2)) - price[i] * (1.0f - normal_cdf(d1));
}

int main() {
  const int n = 4000;
  std::vector<float> price(n), strike(n), years(n);
  for (int i = 0; i < n; ++i) {
    price[i] = 5.0f + static_cast<float>(i % 25);
    strike[i] = 1.0f + static_cast<float>(i % 99);
    years[i] = 0.25f + static_cast<float>(i % 10);
  }
  Buffer<float> p(price), s(strike), t(years), call(n), put(n);
  const float rate = 0.02f, volatility = 0.3f;
  black_scholes<<<divide_up(n, 128), 128>>>(call, put, p, s, t, rate, volatility, n);
  CHECK_LAUNCH();
  const auto c = call.host(), q = put.host();
  const auto cdf = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    const double root = std::sqrt(years[i]);
    const double d1 = (std::log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) /
                      (volatility * root);
    const double exact =
        price[i] * cdf(d1) - strike[i] * std::exp(-rate * years[i]) * cdf(d1 - volatility * root);
    worst = std::fmax(worst, std::fabs(exact - c[i]));
    worst = std::fmax(worst, std::fabs(c[i] - q[i] - (price[i] - strike[i] * std::exp(-rate * years[i]))));
  }
  std::printf("largest error %g\n", worst);
  return verdict(worst < 1e-4);
}

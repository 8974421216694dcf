/// @file
/// Three programs that everybody writes: bodies that draw each other, the Mandelbrot set, prices of options.
#include "held_out_2.hpp"

namespace held_out_2 {
namespace {

/// Each body is drawn by 1024 others, which come by tiles of a block.
__global__ void __launch_bounds__(256) draw(const float4* bodies, float4* out, std::size_t m) {
  __shared__ float4 tile[256];
  const std::size_t i = global_index();
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (unsigned t = 0; t < 4; ++t) {
    tile[threadIdx.x] = bodies[(blockIdx.x * std::size_t{256} + (t + 1) * 256 + threadIdx.x) % m];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 256; ++k) {
      const float4 b = tile[k];
      const float dx = b.x - me.x, dy = b.y - me.y, dz = b.z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), w = b.w * r * r * r;
      ax += dx * w, ay += dy * w, az += dz * w;
    }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, me.w);
}
__host__ __device__ unsigned escape(float x, float y, unsigned most) {
  float u = 0, v = 0;
  unsigned k = 0;
  for (; k < most && u * u + v * v < 4; ++k) {
    const float w = u * u - v * v + x;
    v = 2 * u * v + y;
    u = w;
  }
  return k;
}
__global__ void paint(unsigned* out, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (y < height) out[y * 512 + x] = 1 + escape(-2.2f + x * (3.0f / 512), y * (1.2f / height), 128);
}
__device__ __forceinline__ float below(float d) {
  return 0.5f * erfcf(-d * 0.70710678f);
}
/// The price of a call and of a put.
__global__ void price(const float* spot, const float* strike, float2* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float p = spot[i] + 5, k = strike[i] + 5, years = 2, rate = 0.03f, spread = 0.4f;
  const float d1 = (logf(p / k) + (rate + 0.5f * spread * spread) * years) / (spread * sqrtf(years));
  const float d2 = d1 - spread * sqrtf(years), now = k * expf(-rate * years);
  out[i] = make_float2(p * below(d1) - now * below(d2), now * below(-d2) - p * below(-d1));
}

}  // namespace

void bodies(Set& s) {
  const std::size_t n = s.n, m = s.sms * std::size_t{2048};
  s.run(
      "bodies drawn by 1024", 16.0 * 1024 * real(m),
      [&] { draw<<<static_cast<unsigned>(m / 256), 256>>>(reinterpret_cast<float4*>(s.in), s.vectors(), m); },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          double a[3] = {}, size = 0;
          for (std::size_t k = 0; k < 1024; ++k) {
            const std::size_t j = (i / 256 * 256 + 256 + k) % m;
            double d[3], r = 0.01;
            for (std::size_t c = 0; c < 3; ++c)
              d[c] = double{float_of(4 * j + c)} - float_of(4 * i + c), r += d[c] * d[c];
            const double w = float_of(4 * j + 3) / (r * std::sqrt(r));
            for (std::size_t c = 0; c < 3; ++c) a[c] += d[c] * w, size += std::abs(d[c]) * w;
          }
          for (std::size_t c = 0; c < 3; ++c)
            if (std::abs(s.value(4 * i + c) - a[c]) > 1e-4 * size) return false;
          return s.value(4 * i + 3) == float_of(4 * i + 3);
        });
      });
  const auto height = static_cast<unsigned>(n / 64 / 512);
  s.run(
      "Mandelbrot set", 4.0 * 512 * height,
      [&] {
        paint<<<dim3(32, Set::blocks(height, 16)), dim3(16, 16)>>>(s.numbers(), static_cast<int>(height));
      },
      [&] {
        // Near the edge of the set rounding decides: nine of ten need to agree.
        std::size_t alike = 0, looked = 0;
        for (std::size_t i = 0; i < 512 * std::size_t{height}; i += 977, ++looked)
          alike += s.number(i) ==
                   1 + escape(-2.2f + static_cast<float>(i % 512) * (3.0f / 512),
                              static_cast<float>(i / 512) * (1.2f / static_cast<float>(height)), 128);
        return alike * 10 >= looked * 9;
      });
  s.run(
      "prices of options", 16.0 * real(n / 8),
      [&] { price<<<Set::blocks(n / 8), 256>>>(s.in, s.other, reinterpret_cast<float2*>(s.out), n / 8); },
      [&] {
        return Set::each(n / 8, [&](std::size_t i) {
          const double p = float_of(i) + 5.0, k = other_of(i) + 5.0, t = 0.4 * std::sqrt(2.0);
          const double d1 = (std::log(p / k) + (0.03 + 0.08) * 2) / t, d2 = d1 - t, now = k * std::exp(-0.06);
          const auto below = [](double d) { return 0.5 * std::erfc(-d / std::sqrt(2.0)); };
          return std::abs(s.value(2 * i) - (p * below(d1) - now * below(d2))) < 1e-3 &&
                 std::abs(s.value(2 * i + 1) - (now * below(-d2) - p * below(-d1))) < 1e-3 &&
                 s.value(2 * i) > 0;
        });
      });
}

}  // namespace held_out_2

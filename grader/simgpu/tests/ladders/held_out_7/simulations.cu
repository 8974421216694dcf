/// @file
/// Simulations: light that is scattered in a slab, points of a digital net, densities from the nine cells
/// around.
#include "held_out_7.hpp"

namespace held_out_7 {
namespace {

constexpr float kThick = 4.0f;

__host__ __device__ __forceinline__ float next_part(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return static_cast<float>((state >> 8) + 1) * (1.0f / 16777217.0f);
}
/// How often light is scattered until it leaves (1: back, 2: through) or is kept (3).
__host__ __device__ __forceinline__ unsigned life_of(unsigned seed) {
  unsigned state = seed | 1, times = 0;
  float depth = 0.0f, way = 1.0f;
  while (true) {
    depth -= way * logf(next_part(state));
    if (depth < 0.0f) return 4 * times + 1;
    if (depth > kThick) return 4 * times + 2;
    if (next_part(state) < 0.1f) return 4 * times + 3;
    way = 2.0f * next_part(state) - 1.0f;
    ++times;
  }
}
__global__ void scatter_light(const unsigned* seeds, unsigned* fates, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) fates[i] = life_of(seeds[i]);
}

__constant__ unsigned directions[4][32];
/// Four coordinates of point i, and what a function of them is there.
__global__ void points_of_a_net(float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned x[4] = {0, 0, 0, 0};
  int bit = 0;
  for (unsigned gray = i ^ i >> 1; gray != 0; gray >>= 1, ++bit)
    if ((gray & 1) != 0)
      for (int d = 0; d < 4; ++d) x[d] ^= directions[d][bit];
  float product = 1.0f;
#pragma unroll
  for (int d = 0; d < 4; ++d)
    product *= (fabsf(4.0f * (static_cast<float>(x[d]) * 2.3283064e-10f) - 2.0f) + d) / (1.0f + d);
  out[i] = product;
}

constexpr int kSimulationsAcross = 32, kInCell = 32;
/// A warp has a cell; bodies of each of nine cells go from lane to lane.
__global__ void __launch_bounds__(128) densities(const float2* bodies, float* out, int high) {
  const int cell = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const int cx = cell % kSimulationsAcross, cy = cell / kSimulationsAcross;
  const float2 mine = bodies[cell * kInCell + lane];
  const float x = (mine.x - 0.5f) * 0.15f, y = (mine.y - 0.5f) * 0.15f;
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      const int other =
          (cy + dy + high) % high * kSimulationsAcross + (cx + dx + kSimulationsAcross) % kSimulationsAcross;
      const float2 its = bodies[other * kInCell + lane];
      const float ox = (its.x - 0.5f) * 0.15f + static_cast<float>(dx) - x,
                  oy = (its.y - 0.5f) * 0.15f + static_cast<float>(dy) - y;
      for (int k = 0; k < 32; ++k) {
        // What was taken off is added again, so that lanes need not know whose it is.
        const float ux = __shfl_sync(~0u, ox + x, k) - x, uy = __shfl_sync(~0u, oy + y, k) - y;
        const float left = 1.0f - ux * ux - uy * uy;
        if (left > 0.0f) sum += left * left * left;
      }
    }
  out[cell * kInCell + lane] = sum;
}

}  // namespace

void simulations(Set& s) {
  const std::size_t n = s.n;
  const unsigned m = as_number(n / 128);
  s.run(
      "light scattered in a slab", 8.0 * m,
      [&] { scatter_light<<<Set::blocks(m, 128), 128>>>(s.words, s.numbers(), m); },
      [&] {
        // A logarithm's last bit may decide of a few.
        const auto got = taken(s.numbers(), m);
        std::size_t other = 0;
        for (std::size_t i = 0; i < m; ++i) other += got[i] != life_of(word_of(i));
        return other <= 2 + m / 5000;
      });
  std::vector<unsigned> numbers_of(4 * 32);
  for (unsigned k = 0; k < 4 * 32; ++k)
    numbers_of[k] = ((k < 32 ? 0 : scrambled(k + 7) << 1) | 1u) << (31 - k % 32);
  ladder::check(cudaMemcpyToSymbol(directions, numbers_of.data(), sizeof directions), "directions");
  const unsigned points = as_number(n / 32);
  s.run(
      "points of a digital net in four dimensions", 4.0 * points,
      [&] { points_of_a_net<<<Set::blocks(points), 256>>>(s.out, points); },
      [&] {
        return within(s, points, 1e-4, [&](std::size_t i) {
          double product = 1;
          for (std::size_t d = 0; d < 4; ++d) {
            unsigned x = 0;
            for (std::size_t bit = 0; bit < 32; ++bit)
              if (((i ^ i >> 1) >> bit & 1) != 0) x ^= numbers_of[d * 32 + bit];
            product *= (std::abs(4.0 * x / 4294967296.0 - 2) + real(d)) / (1 + real(d));
          }
          return product;
        });
      });
  const int high = static_cast<int>(n / 8192 / kSimulationsAcross);
  s.run(
      "densities from nine cells around, a warp a cell", 12.0 * kInCell * kSimulationsAcross * high,
      [&] {
        densities<<<kSimulationsAcross * high / 4, 128>>>(reinterpret_cast<const float2*>(s.in), s.out, high);
      },
      [&] {
        return floats(
            s, static_cast<std::size_t>(kSimulationsAcross * kInCell * high), [high](std::size_t i) {
              const auto at = [](long cell, std::size_t k, std::size_t part) {
                return (float_of((static_cast<std::size_t>(cell) * kInCell + k) * 2 + part) - 0.5) * 0.15;
              };
              const long cell = static_cast<long>(i / kInCell);
              double sum = 0;
              for (long d = 0; d < 9; ++d) {
                const long dx = d % 3 - 1, dy = d / 3 - 1,
                           other = (cell / kSimulationsAcross + dy + high) % high * kSimulationsAcross +
                                   (cell + dx + kSimulationsAcross) % kSimulationsAcross;
                for (std::size_t k = 0; k < kInCell; ++k) {
                  const double ux = at(other, k, 0) + static_cast<double>(dx) - at(cell, i % kInCell, 0),
                               uy = at(other, k, 1) + static_cast<double>(dy) - at(cell, i % kInCell, 1);
                  sum += std::pow(std::max(0.0, 1 - ux * ux - uy * uy), 3);
                }
              }
              return sum;
            });
      });
}

}  // namespace held_out_7

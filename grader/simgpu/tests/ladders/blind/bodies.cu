/// @file
/// Pairs of bodies: distances counted, two bodies a thread, lists of neighbours.
#include "blind.hpp"

namespace blind {
namespace {

/// How many pairs are how far from each other.
__global__ void __launch_bounds__(256) count_distances(const float4* bodies, unsigned* bins, int others) {
  __shared__ float4 tile[256];
  __shared__ unsigned mine[128];
  if (threadIdx.x < 128) mine[threadIdx.x] = 0;
  const float4 me = bodies[global_index()];
  for (int t = 0; t < others; t += 256) {
    __syncthreads();
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 256; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      atomicAdd(&mine[min(127, static_cast<int>(sqrtf(dx * dx + dy * dy + dz * dz) * 12))], 1u);
    }
  }
  __syncthreads();
  if (threadIdx.x < 128) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
/// The potential at two bodies of each thread.
__global__ void __launch_bounds__(192) potentials(const float4* bodies, float* out, int others) {
  __shared__ float4 tile[192];
  const std::size_t i = blockIdx.x * std::size_t{384} + threadIdx.x;
  const float4 a = bodies[i], b = bodies[i + 192];
  float pa = 0, pb = 0;
  for (int t = 0; t < others; t += 192) {
    __syncthreads();
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < 192; ++k) {
      const float4 c = tile[k];
      const float ax = c.x - a.x, ay = c.y - a.y, az = c.z - a.z, bx = c.x - b.x, by = c.y - b.y,
                  bz = c.z - b.z;
      pa += c.w * rsqrtf(ax * ax + ay * ay + az * az + 0.1f);
      pb += c.w * rsqrtf(bx * bx + by * by + bz * bz + 0.1f);
    }
  }
  out[i] = pa, out[i + 192] = pb;
}
/// Forces between an atom and 24 others that a list names; they lie near it in memory.
__global__ void __launch_bounds__(128)
    forces_of_neighbours(const float4* atoms, const unsigned* list, float4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const float4 me = atoms[i];
  float fx = 0, fy = 0, fz = 0;
#pragma unroll 4
  for (int k = 0; k < 24; ++k) {
    const std::size_t there = min(i / 512 * 512 + (list[i + k * m] & 1023), m - 1);
    const float4 other = atoms[there];
    const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    const float by = 1.0f / (dx * dx + dy * dy + dz * dz + 1.0f), six = by * by * by;
    const float force = six * (six - 0.5f) * by;
    fx += force * dx, fy += force * dy, fz += force * dz;
  }
  out[i] = make_float4(fx, fy, fz, 0);
}

}  // namespace

void bodies(Set& s) {
  const std::size_t n = s.n;
  const auto difference = [](std::size_t i, std::size_t k, int c) {
    return double{float_of(4 * k + static_cast<std::size_t>(c))} -
           float_of(4 * i + static_cast<std::size_t>(c));
  };
  const auto squared = [difference](std::size_t i, std::size_t k) {
    double sum = 0;
    for (int c = 0; c < 3; ++c) sum += difference(i, k, c) * difference(i, k, c);
    return sum;
  };
  s.run(
      "distances counted", 16.0 * 256 * s.sms * 8,
      [&] { count_distances<<<s.sms * 8, 256>>>(reinterpret_cast<float4*>(s.in), s.numbers(), 512); },
      [&] {
        unsigned long long all = 0;
        for (std::size_t k = 0; k < 128; ++k) all += s.number(k);
        return all == 256ull * s.sms * 8 * 512 && s.number(40) > s.number(5);
      });
  s.run(
      "potentials at two bodies a thread", 16.0 * 384 * s.sms * 10,
      [&] { potentials<<<s.sms * 10, 192>>>(reinterpret_cast<float4*>(s.in), s.out, 1536); },
      [&] {
        return Set::each(std::size_t{384} * s.sms * 10, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 1536; ++k) sum += float_of(4 * k + 3) / std::sqrt(squared(i, k) + 0.1);
          return Set::near(s.value(i), sum);
        });
      });
  const std::size_t m = n / 48;
  s.run(
      "forces of 24 neighbours", static_cast<double>(m) * (16 + 24 * 4 + 16),
      [&] {
        forces_of_neighbours<<<Set::blocks(m, 128), 128>>>(reinterpret_cast<float4*>(s.in), s.words,
                                                           s.vectors(), m);
      },
      [&] {
        return Set::each(m, [&](std::size_t i) {
          double fx = 0;
          for (std::size_t k = 0; k < 24; ++k) {
            const std::size_t there = std::min(i / 512 * 512 + (word_of(i + k * m) & 1023), m - 1);
            const double by = 1 / (squared(i, there) + 1), six = by * by * by;
            fx += six * (six - 0.5) * by * difference(i, there, 0);
          }
          return std::abs(s.value(4 * i) - fx) < 1e-4;
        });
      });
}

}  // namespace blind

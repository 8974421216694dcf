/// @file
/// Arithmetic: vortices that move each other, keyed hashes by words of 64 bits, waits in a queue from random
/// numbers and logarithms, paths of a system of three equations in doubles.
#include "held_out_9.hpp"

namespace held_out_9 {
namespace {

constexpr unsigned kVortices = 1024;
/// A point's speed from all vortices of a plane, 128 of them in shared memory at a time.
__global__ void __launch_bounds__(128)
    speeds_of_points(const float2* points, const float4* vortices, float2* speeds) {
  __shared__ float4 tile[128];
  const std::size_t i = global_index();
  const float2 p = points[i];
  float u = 0.0f, v = 0.0f;
  for (unsigned first = 0; first < kVortices; first += 128) {
    tile[threadIdx.x] = vortices[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (unsigned k = 0; k < 128; ++k) {
      const float4 its = tile[k];  // where, how strong, and how large its core is
      const float dx = p.x - its.x, dy = p.y - its.y;
      const float by = __fdividef(its.z, dx * dx + dy * dy + its.w);
      u -= dy * by;
      v += dx * by;
    }
    __syncthreads();
  }
  speeds[i] = make_float2(u, v);
}

using Word64 = unsigned long long;
__host__ __device__ __forceinline__ Word64 turned_left(Word64 x, int by) {
  return x << by | x >> (64 - by);
}
__host__ __device__ __forceinline__ void round_of_hash(Word64 (&v)[4]) {
  v[0] += v[1], v[2] += v[3];
  v[1] = turned_left(v[1], 13) ^ v[0], v[3] = turned_left(v[3], 16) ^ v[2];
  v[0] = turned_left(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = turned_left(v[1], 17) ^ v[2], v[3] = turned_left(v[3], 21) ^ v[0];
  v[2] = turned_left(v[2], 32);
}
constexpr unsigned kHashed = 4;
/// SipHash of two rounds a word and four at the end.
__host__ __device__ __forceinline__ Word64 keyed_hash(const Word64 (&words)[kHashed], Word64 key0,
                                                      Word64 key1) {
  Word64 v[4] = {key0 ^ 0x736f6d6570736575ull, key1 ^ 0x646f72616e646f6dull, key0 ^ 0x6c7967656e657261ull,
                 key1 ^ 0x7465646279746573ull};
#pragma unroll
  for (unsigned k = 0; k <= kHashed; ++k) {
    const Word64 word = k < kHashed ? words[k] : Word64{8 * kHashed} << 56;
    v[3] ^= word;
    round_of_hash(v), round_of_hash(v);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
#pragma unroll
  for (int k = 0; k < 4; ++k) round_of_hash(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
constexpr Word64 kKey0 = 0x0706050403020100ull, kKey1 = 0x0f0e0d0c0b0a0908ull;
__global__ void hash_by_key(const ulonglong2* words, Word64* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const ulonglong2 a = words[2 * i], b = words[2 * i + 1];
  const Word64 all[kHashed] = {a.x, a.y, b.x, b.y};
  out[i] = keyed_hash(all, kKey0, kKey1);
}

constexpr unsigned kCustomers = 32;
/// Uniform in (0, 1), by a product of 64 bits whose upper bits are turned as they tell.
__host__ __device__ __forceinline__ float next_uniform(Word64& state) {
  const Word64 before = state;
  state = before * 6364136223846793005ull + 1442695040888963407ull;
  const auto mixed = static_cast<unsigned>((before >> 18 ^ before) >> 27);
  const auto by = static_cast<unsigned>(before >> 59);
  const unsigned drawn = mixed >> by | mixed << (-by & 31);
  return (static_cast<float>(drawn >> 8) + 0.5f) * (1.0f / 16777216.0f);
}
/// How long the customers of a day wait on average, if all they do takes exponential times.
__host__ __device__ __forceinline__ float mean_wait(unsigned seed) {
  Word64 state = Word64{seed} << 20 | 77;
  float wait = 0.0f, sum = 0.0f;
  for (unsigned k = 0; k < kCustomers; ++k) {
    const float served = -0.8f * logf(next_uniform(state)), apart = -logf(next_uniform(state));
    wait = fmaxf(0.0f, wait + served - apart);
    sum += wait;
  }
  return sum * (1.0f / kCustomers);
}
__global__ void waits_in_queues(const unsigned* seeds, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = mean_wait(seeds[i]);
}

constexpr unsigned kStepsOfPath = 16;
struct Point {
  double x, y, z;
};
__host__ __device__ __forceinline__ Point slope_at(Point p) {
  return {10.0 * (p.y - p.x), p.x * (28.0 - p.z) - p.y, p.x * p.y - 8.0 / 3.0 * p.z};
}
__host__ __device__ __forceinline__ Point moved(Point p, Point along, double by) {
  return {p.x + by * along.x, p.y + by * along.y, p.z + by * along.z};
}
/// Lorenz's system, by Runge's and Kutta's way of four slopes.
__host__ __device__ __forceinline__ Point path_from(Point p) {
  constexpr double kStep = 0.005;
  for (unsigned step = 0; step < kStepsOfPath; ++step) {
    const Point a = slope_at(p), b = slope_at(moved(p, a, kStep / 2)), c = slope_at(moved(p, b, kStep / 2)),
                d = slope_at(moved(p, c, kStep));
    p.x += kStep / 6 * (a.x + 2 * (b.x + c.x) + d.x);
    p.y += kStep / 6 * (a.y + 2 * (b.y + c.y) + d.y);
    p.z += kStep / 6 * (a.z + 2 * (b.z + c.z) + d.z);
  }
  return p;
}
__global__ void follow_paths(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const Point p = path_from({in[i], in[m + i], in[2 * m + i]});
  out[i] = p.x, out[m + i] = p.y, out[2 * m + i] = p.z;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const unsigned points = s.sms * 512;
  s.run(
      "speeds of points among 1024 vortices", 16.0 * points,
      [&] {
        speeds_of_points<<<points / 128, 128>>>(reinterpret_cast<const float2*>(s.in),
                                                reinterpret_cast<const float4*>(s.other),
                                                reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return within(s, 2 * std::size_t{points}, 0.1, [](std::size_t i) {
          const std::size_t p = i / 2;
          double sum = 0;
          for (std::size_t k = 0; k < kVortices; ++k) {
            const double dx = double{float_of(2 * p)} - other_of(4 * k),
                         dy = double{float_of(2 * p + 1)} - other_of(4 * k + 1);
            const double by = other_of(4 * k + 2) / (dx * dx + dy * dy + other_of(4 * k + 3));
            sum += i % 2 == 0 ? -dy * by : dx * by;
          }
          return sum;
        });
      });
  const unsigned hashed = as_number(n / 64);
  s.run(
      "keyed hashes of 32 bytes by words of 64 bits", 40.0 * hashed,
      [&] {
        hash_by_key<<<Set::blocks(hashed), 256>>>(reinterpret_cast<const ulonglong2*>(s.words),
                                                  reinterpret_cast<Word64*>(s.out), hashed);
      },
      [&] {
        return Set::each(hashed, [&](std::size_t i) {
          Word64 words[kHashed];
          for (std::size_t k = 0; k < kHashed; ++k)
            words[k] = word_of(8 * i + 2 * k) | Word64{word_of(8 * i + 2 * k + 1)} << 32;
          return Checked::at(reinterpret_cast<const Word64*>(s.out), i) == keyed_hash(words, kKey0, kKey1);
        });
      });
  const unsigned days = as_number(n / 128);
  s.run(
      "mean waits of 32 customers in a queue", 8.0 * days,
      [&] { waits_in_queues<<<Set::blocks(days), 256>>>(s.words, s.out, days); },
      [&] { return within(s, days, 1e-3, [](std::size_t i) { return double{mean_wait(word_of(i))}; }); });
  const unsigned paths = as_number(n / 256);
  s.run(
      "sixteen steps of Lorenz's system in doubles", 36.0 * paths,
      [&] { follow_paths<<<Set::blocks(paths), 256>>>(s.in, reinterpret_cast<double*>(s.out), paths); },
      [&] {
        return doubles(s, 3 * std::size_t{paths}, [&](std::size_t i) {
          const std::size_t k = i % paths;
          const Point p = path_from({float_of(k), float_of(paths + k), float_of(2 * std::size_t{paths} + k)});
          return i / paths == 0 ? p.x : i / paths == 1 ? p.y : p.z;
        });
      });
}

}  // namespace held_out_9

/// @file
/// Arithmetic and ways apart: a hash of sixty-four rounds, rays against triangles, Legendre's polynomials, codes of unequal
/// length, a generator whose blocks fill three waves and a little.
#include "held_out_17.hpp"

namespace held_out_17 {
namespace {

constexpr unsigned kHashRounds = 64, kHashWords = 16, kHashState = 8;
__constant__ unsigned hash_constants[kHashRounds];
/// The first bits behind the point of the first primes' roots, as SHA-256 has them.
std::vector<unsigned> root_bits(unsigned count, bool third) {
  std::vector<unsigned> bits;
  for (unsigned p = 2; bits.size() < count; ++p) {
    bool prime = true;
    for (unsigned d = 2; d * d <= p; ++d) prime = prime && p % d != 0;
    if (!prime) continue;
    const long double root =
        third ? std::cbrt(static_cast<long double>(p)) : std::sqrt(static_cast<long double>(p));
    bits.push_back(static_cast<unsigned>((root - std::floor(root)) * 4294967296.0L));
  }
  return bits;
}
struct HashState {
  unsigned v[kHashState];
};
__host__ __device__ __forceinline__ unsigned turned_right(unsigned v, unsigned by) {
  return v >> by | v << (32 - by);
}
/// Of a message of one block, whose words @p w are used up.
__host__ __device__ __forceinline__ HashState hashed(const HashState& begin, const unsigned* constants,
                                                     unsigned (&w)[kHashWords]) {
  HashState s = begin;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned r = 0; r < kHashRounds; ++r) {
    unsigned& word = w[r % kHashWords];
    if (r >= kHashWords) {
      const unsigned a = w[(r + 1) % kHashWords], b = w[(r + 14) % kHashWords];
      word += (turned_right(a, 7) ^ turned_right(a, 18) ^ a >> 3) + w[(r + 9) % kHashWords] +
              (turned_right(b, 17) ^ turned_right(b, 19) ^ b >> 10);
    }
    const unsigned a = s.v[0], e = s.v[4];
    const unsigned first = s.v[7] + (turned_right(e, 6) ^ turned_right(e, 11) ^ turned_right(e, 25)) +
                           ((e & s.v[5]) ^ (~e & s.v[6])) + constants[r] + word;
    const unsigned second = (turned_right(a, 2) ^ turned_right(a, 13) ^ turned_right(a, 22)) +
                            ((a & s.v[1]) ^ (a & s.v[2]) ^ (s.v[1] & s.v[2]));
    s = {{first + second, a, s.v[1], s.v[2], s.v[3] + first, e, s.v[5], s.v[6]}};
  }
  for (unsigned k = 0; k < kHashState; ++k) s.v[k] += begin.v[k];
  return s;
}
__global__ void __launch_bounds__(128)
    hash_messages(const uint4* messages, uint4* out, const HashState begin, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  unsigned w[kHashWords];
#pragma unroll
  for (unsigned k = 0; k < kHashWords / 4; ++k) {
    const uint4 v = messages[std::size_t{i} * (kHashWords / 4) + k];
    w[4 * k] = v.x, w[4 * k + 1] = v.y, w[4 * k + 2] = v.z, w[4 * k + 3] = v.w;
  }
  const HashState s = hashed(begin, hash_constants, w);
  out[2 * std::size_t{i}] = make_uint4(s.v[0], s.v[1], s.v[2], s.v[3]);
  out[2 * std::size_t{i} + 1] = make_uint4(s.v[4], s.v[5], s.v[6], s.v[7]);
}

constexpr unsigned kTriangles = 64, kRayThreads = 128;
constexpr float kBeyondAll = 100.0f;
template <typename Real>
struct Vector {
  Real x, y, z;

  __host__ __device__ Vector operator-(const Vector& o) const { return {x - o.x, y - o.y, z - o.z}; }
  __host__ __device__ Real dot(const Vector& o) const { return x * o.x + y * o.y + z * o.z; }
  __host__ __device__ Vector cross(const Vector& o) const {
    return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x};
  }
};
template <typename Real>
struct Ray {
  Vector<Real> from, along;
};
/// A corner and what leads from there to the others.
template <typename Real>
struct Triangle {
  Vector<Real> corner, first, second;
};
/// Six floats: where it begins, and whither.
template <typename Real>
__host__ __device__ __forceinline__ Ray<Real> ray_of(const float* v) {
  const Real middle = Real(3.75);
  return {{v[0], v[1], v[2]}, {v[3] - middle, v[4] - middle, v[5] - middle}};
}
/// Nine floats: three corners.
template <typename Real>
__host__ __device__ __forceinline__ Triangle<Real> triangle_of(const float* v) {
  const Vector<Real> corner{v[0], v[1], v[2]}, second{v[3], v[4], v[5]}, third{v[6], v[7], v[8]};
  return {corner, second - corner, third - corner};
}
/// How far along its way the ray meets the triangle, or @p nearest if it was nearer before.
template <typename Real>
__host__ __device__ __forceinline__ Real meets(const Ray<Real>& ray, const Triangle<Real>& triangle,
                                               Real nearest) {
  const Vector<Real> p = ray.along.cross(triangle.second);
  const Real size = triangle.first.dot(p);
  if (size > Real(-1e-6) && size < Real(1e-6)) return nearest;
  const Real scale = 1 / size;
  const Vector<Real> away = ray.from - triangle.corner;
  const Real u = scale * away.dot(p);
  if (u < 0 || u > 1) return nearest;
  const Vector<Real> q = away.cross(triangle.first);
  const Real v = scale * ray.along.dot(q);
  if (v < 0 || u + v > 1) return nearest;
  const Real far = scale * triangle.second.dot(q);
  return far > Real(1e-4) && far < nearest ? far : nearest;
}
__global__ void __launch_bounds__(kRayThreads)
    shoot_rays(const float* rays, const float* triangles, float* out, unsigned m) {
  __shared__ Triangle<float> held[kTriangles];
  if (threadIdx.x < kTriangles) held[threadIdx.x] = triangle_of<float>(triangles + 9 * threadIdx.x);
  __syncthreads();
  const unsigned i = blockIdx.x * kRayThreads + threadIdx.x;
  if (i >= m) return;
  const Ray<float> ray = ray_of<float>(rays + 6 * std::size_t{i});
  float nearest = kBeyondAll;
#pragma unroll 1
  for (unsigned k = 0; k < kTriangles; ++k) nearest = meets(ray, held[k], nearest);
  out[i] = nearest;
}

constexpr unsigned kGreatestDegree = 30;
/// The k-th polynomial counts one part in k + 1.
__host__ __device__ __forceinline__ double sum_of_polynomials(double x) {
  double before = 1.0, now = x, sum = 1.0 + 0.5 * x;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned k = 1; k < kGreatestDegree; ++k) {
    const double next = (2.0 * k + 1.0) / (k + 1.0) * x * now - k / (k + 1.0) * before;
    sum += 1.0 / (k + 2.0) * next;
    before = now;
    now = next;
  }
  return sum;
}
__global__ void __launch_bounds__(256) add_up_polynomials(const float* in, double* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = sum_of_polynomials(0.25 * in[i] - 0.9);
}

constexpr unsigned kCodesApart = 8, kMostCodes = 200, kMostNoughts = 12, kLastCode = 63,
                   kMostWords = kMostCodes * (2 * kMostNoughts + 1) / 32 + 2;
/// As many noughts as bits come behind the first one; the last number is great.
__host__ __device__ __forceinline__ unsigned read_codes(const unsigned* words) {
  unsigned at = 0, sum = 0, value = 0;
  for (unsigned k = 0; k < kMostCodes && value < kLastCode; ++k) {
    const unsigned bits = at % 32, high = words[at / 32], low = words[at / 32 + 1];
    const unsigned window = bits == 0 ? high : high << bits | low >> (32 - bits);
    unsigned noughts = 0;
#ifdef __CUDA_ARCH__
    noughts = min(static_cast<unsigned>(__clz(static_cast<int>(window))), kMostNoughts);
#else
    while (noughts < kMostNoughts && (window >> (31 - noughts) & 1) == 0) ++noughts;
#endif
    value = window >> (31 - 2 * noughts);
    at += 2 * noughts + 1;
    sum = 31 * sum + value;
  }
  return sum;
}
__global__ void __launch_bounds__(128)
    read_streams_of_codes(const unsigned* words, unsigned* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) out[i] = read_codes(words + std::size_t{kCodesApart} * i);
}

constexpr unsigned kWaveThreads = 1024, kWaveBlocks = 2, kWaveSteps = 600;
__host__ __device__ __forceinline__ unsigned wave_step(unsigned v) {
  v ^= v << 13;
  v ^= v >> 17;
  return v ^ v << 5;
}
/// Two blocks fit an SM.
__global__ void __launch_bounds__(kWaveThreads, kWaveBlocks)
    step_in_waves(const unsigned* words, unsigned* out) {
  unsigned v = words[global_index()] | 1;
#pragma unroll 4
  for (unsigned k = 0; k < kWaveSteps; ++k) v = wave_step(v);
  out[global_index()] = v;
}

}  // namespace

void loops(Set& s) {
  const std::size_t n = s.n;
  const std::vector<unsigned> constants = root_bits(kHashRounds, true),
                              beginning = root_bits(kHashState, false);
  ladder::check(cudaMemcpyToSymbol(hash_constants, constants.data(), sizeof hash_constants), "constants");
  HashState begin;
  for (unsigned k = 0; k < kHashState; ++k) begin.v[k] = beginning[k];
  const unsigned messages = as_number(n / 128);
  s.run(
      "hashes of 64 bytes by sixty-four rounds of words, a thread each",
      4.0 * (kHashWords + kHashState) * messages,
      [&] {
        hash_messages<<<Set::blocks(messages, 128), 128>>>(reinterpret_cast<const uint4*>(s.words),
                                                           reinterpret_cast<uint4*>(s.out), begin, messages);
      },
      [&] {
        return numbers(s, std::size_t{kHashState} * messages, [&](std::size_t i) {
          unsigned w[kHashWords];
          for (std::size_t k = 0; k < kHashWords; ++k) w[k] = word_of(i / kHashState * kHashWords + k);
          return hashed(begin, constants.data(), w).v[i % kHashState];
        });
      });

  const unsigned rays = as_number(n / 128);
  s.run(
      "rays against 64 triangles in shared memory, to the nearest that each meets", 28.0 * rays,
      [&] { shoot_rays<<<Set::blocks(rays, kRayThreads), kRayThreads>>>(s.in, s.other, s.out, rays); },
      [&] {
        return floats(s, rays, [](std::size_t i) {
          float values[9];
          for (std::size_t k = 0; k < 6; ++k) values[k] = float_of(6 * i + k);
          const auto ray = ray_of<double>(values);
          double nearest = kBeyondAll;
          for (std::size_t k = 0; k < kTriangles; ++k) {
            for (std::size_t j = 0; j < 9; ++j) values[j] = other_of(9 * k + j);
            nearest = meets(ray, triangle_of<double>(values), nearest);
          }
          return nearest;
        });
      });

  const unsigned summed = as_number(n / 16);
  s.run(
      "Legendre's polynomials of doubles up to the thirtieth, added up", 12.0 * summed,
      [&] {
        add_up_polynomials<<<Set::blocks(summed), 256>>>(s.in, reinterpret_cast<double*>(s.out), summed);
      },
      [&] {
        return doubles(s, summed, [](std::size_t i) { return sum_of_polynomials(0.25 * float_of(i) - 0.9); });
      });

  const unsigned streams_of_codes = as_number(n / 128);
  s.run(
      "codes of unequal length read out of bits until a number is great, a thread a stream",
      8.0 * streams_of_codes,
      [&] {
        read_streams_of_codes<<<Set::blocks(streams_of_codes, 128), 128>>>(s.words, s.numbers(),
                                                                           streams_of_codes);
      },
      [&] {
        return numbers(s, streams_of_codes, [](std::size_t i) {
          unsigned words[kMostWords];
          for (std::size_t k = 0; k < kMostWords; ++k) words[k] = word_of(kCodesApart * i + k);
          return read_codes(words);
        });
      });

  const unsigned wave_blocks = s.sms * kWaveBlocks * 3 + s.sms * kWaveBlocks * 2 / 11;
  s.run(
      "a generator's steps by three waves and two elevenths, blocks of 1024",
      8.0 * kWaveThreads * wave_blocks,
      [&] { step_in_waves<<<wave_blocks, kWaveThreads>>>(s.words, s.numbers()); },
      [&] {
        return numbers(s, std::size_t{kWaveThreads} * wave_blocks, [](std::size_t i) {
          unsigned v = word_of(i) | 1;
          for (unsigned k = 0; k < kWaveSteps; ++k) v = wave_step(v);
          return v;
        });
      });
}

}  // namespace held_out_17

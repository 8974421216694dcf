/// @file
/// Reads and writes whose places the data say: tables in L2 and L1, stores all over memory, rows that threads read alone.
#include "blind.hpp"

namespace blind {
namespace {

__global__ void __launch_bounds__(128)
    take_vectors(const unsigned* index, const float4* from, float4* out, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i < m) out[i] = from[place_of(index[i], size)];
}
__global__ void scatter_pairs(const unsigned* index, uint2* out, std::size_t m, unsigned size) {
  const std::size_t i = global_index();
  if (i < m) out[place_of(index[i], size)] = make_uint2(7, 9);
}
/// A thread reads 64 floats that lie together, 16 bytes at a time.
__global__ void __launch_bounds__(64) rows_of_threads(const float4* in, float* out, std::size_t rows) {
  const std::size_t row = global_index();
  if (row >= rows) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const float4 v = in[row * 16 + k];
    sum += v.x * v.y + v.z * v.w;
  }
  out[row] = sum;
}
__global__ void sample_volume(const unsigned* points, const float* volume, float* out, std::size_t m,
                              unsigned depth) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned p = points[i];
  const unsigned x = p % 127, y = p / 127 % 127, z = place_of(scrambled(p), depth - 1);
  const float fx = (p >> 16 & 255) * (1.0f / 256), fy = (p >> 24) * (1.0f / 256), fz = 0.25f;
  const float* at = volume + (z * 128 + y) * 128 + x;
  const auto mix = [](float a, float b, float f) { return a + f * (b - a); };
  const float near_side = mix(mix(at[0], at[1], fx), mix(at[128], at[129], fx), fy);
  at += 16384;
  const float far_side = mix(mix(at[0], at[1], fx), mix(at[128], at[129], fx), fy);
  out[i] = mix(near_side, far_side, fz);
}
/// Which of 511 sorted limits, kept in shared memory, each element lies under.
__global__ void buckets_by_limits(const unsigned* in, unsigned short* out, std::size_t m) {
  __shared__ unsigned limits[512];
  for (unsigned k = threadIdx.x; k < 512; k += blockDim.x) limits[k] = k * k * 16384u;
  __syncthreads();
  for (std::size_t i = global_index(); i < m; i += stride()) {
    const unsigned v = in[i];
    unsigned at = 0;
#pragma unroll
    for (unsigned d = 256; d > 0; d /= 2)
      if (limits[at + d] <= v) at += d;
    out[i] = static_cast<unsigned short>(at);
  }
}
/// A chain of addresses within 32 kB, a warp an SM: how long an answer of the L1 takes.
__global__ void links_in_l1(const unsigned* next, unsigned* out, int steps) {
  unsigned at = threadIdx.x * 250;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = next[at] >> 19;
  out[global_index()] = at;
}
/// An element of each row: a column of a matrix that lies by rows, four columns a warp.
__global__ void four_columns(const float* in, float* out, std::size_t rows) {
  const std::size_t i = global_index(), row = i / 4;
  if (row < rows) out[i % 4 * rows + row] = in[row * 256 + i % 4];
}

}  // namespace

void gathers(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "vectors of a table in L2", 36.0 * static_cast<double>(n / 8),
      [&] {
        take_vectors<<<Set::blocks(n / 8, 128), 128>>>(s.words, reinterpret_cast<float4*>(s.in), s.vectors(),
                                                       n / 8, s.table / 4);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          return s.value(i) == float_of(place_of(word_of(i / 4), s.table / 4) * std::size_t{4} + i % 4);
        });
      });
  s.run(
      "pairs scattered all over", 12.0 * static_cast<double>(n / 32),
      [&] {
        scatter_pairs<<<Set::blocks(n / 32), 256>>>(s.words, reinterpret_cast<uint2*>(s.out), n / 32,
                                                    static_cast<unsigned>(n / 2));
      },
      [&] {
        return Set::each(n / 32, [&](std::size_t i) {
          return s.number(place_of(word_of(i), static_cast<unsigned>(n / 2)) * std::size_t{2} + 1) == 9;
        });
      });
  s.run(
      "a row of 64 floats a thread", s.one + s.one / 64,
      [&] {
        rows_of_threads<<<Set::blocks(n / 64, 64), 64>>>(reinterpret_cast<float4*>(s.in), s.out, n / 64);
      },
      [&] {
        return Set::each(n / 64, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 64; k += 2)
            sum += double{float_of(i * 64 + k)} * float_of(i * 64 + k + 1);
          return Set::near(s.value(i), sum);
        });
      });
  const unsigned depth = s.table / 16384;
  s.run(
      "volume in L2 between points", 8.0 * static_cast<double>(n / 32),
      [&] { sample_volume<<<Set::blocks(n / 32), 256>>>(s.words, s.in, s.out, n / 32, depth); },
      [&] {
        return Set::each(n / 32, [&](std::size_t i) {
          const unsigned p = word_of(i);
          const double f[3] = {(p >> 16 & 255) / 256.0, (p >> 24) / 256.0, 0.25};
          const std::size_t at =
              (place_of(scrambled(p), depth - 1) * std::size_t{128} + p / 127 % 127) * 128 + p % 127;
          double sum = 0;
          for (std::size_t c = 0; c < 8; ++c)
            sum += (c & 1 ? f[0] : 1 - f[0]) * (c & 2 ? f[1] : 1 - f[1]) * (c & 4 ? f[2] : 1 - f[2]) *
                   float_of(at + (c & 1) + (c / 2 & 1) * 128 + c / 4 * 16384);
          return Set::near(s.value(i), sum);
        });
      });
  s.run(
      "buckets by limits in shared memory", 1.5 * s.one / 2,
      [&] {
        buckets_by_limits<<<s.sms * 8, 256>>>(s.words, reinterpret_cast<unsigned short*>(s.out), n / 2);
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const auto got = Checked::at(reinterpret_cast<const unsigned short*>(s.out), i);
          unsigned want = 0;
          while (want < 511 && (want + 1) * (want + 1) * 16384u <= word_of(i)) ++want;
          return got == want;
        });
      });
  s.run(
      "links in L1, a warp an SM", 4.0 * 32 * s.sms * 2048,
      [&] { links_in_l1<<<s.sms, 32>>>(s.words, s.numbers(), 2048); },
      [&] {
        return Set::each(std::size_t{32} * s.sms, [&](std::size_t i) {
          unsigned at = static_cast<unsigned>(i % 32) * 250;
          for (int k = 0; k < 2048; ++k) at = word_of(at) >> 19;
          return s.number(i) == at;
        });
      });
  s.run(
      "four columns of rows of 1 kB", 8.0 * static_cast<double>(n / 64),
      [&] { four_columns<<<Set::blocks(n / 64), 256>>>(s.in, s.out, n / 256); },
      [&] {
        return Set::each(n / 256, [&](std::size_t row) {
          return s.value(row) == float_of(row * 256) &&
                 s.value(3 * (n / 256) + row) == float_of(row * 256 + 3);
        });
      });
}

}  // namespace blind

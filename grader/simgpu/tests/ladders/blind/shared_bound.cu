/// @file
/// Kernels that shared memory and its barriers, or shuffles, hold up more than global memory does.
#include "blind.hpp"

namespace blind {
namespace {

__device__ __forceinline__ float2 times(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
/// Fourier transforms of 256 points by 64 threads in four steps of radix 4; four transforms a block.
__global__ void __launch_bounds__(256) transforms_of_256(const float2* in, float2* out) {
  __shared__ float2 line[4][256];
  const unsigned which = threadIdx.x / 64, j = threadIdx.x % 64;
  const std::size_t base = blockIdx.x * std::size_t{1024} + which * 256;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) v[r] = in[base + j + 64 * r];
#pragma unroll
  for (unsigned done = 1; done < 256; done *= 4) {
    const float angle = -6.2831853f * static_cast<float>(j % done) / static_cast<float>(done * 4);
    const float2 turn = make_float2(__cosf(angle), __sinf(angle)), twice = times(turn, turn);
    v[1] = times(v[1], turn), v[2] = times(v[2], twice), v[3] = times(v[3], times(twice, turn));
    const float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
                 b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y),
                 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
                 d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    v[0] = make_float2(a.x + c.x, a.y + c.y), v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y), v[3] = make_float2(b.x - d.x, b.y - d.y);
    const unsigned to = j / done * done * 4 + j % done;
    if (done == 64) break;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) line[which][to + r * done] = v[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = line[which][j + 64 * r];
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) out[base + j + 64 * r] = v[r];
}

constexpr int kRounds = 10;
__host__ __device__ __forceinline__ unsigned entry(unsigned table, unsigned byte) {
  return scrambled(table * 256 + byte + 12345);
}
/// Rounds of a cipher of blocks of 16 bytes: each byte is looked up in one of four tables of 1 kB.
__global__ void __launch_bounds__(256) cipher(const uint4* in, uint4* out, std::size_t m) {
  __shared__ unsigned tables[4][256];
  for (unsigned t = 0; t < 4; ++t) tables[t][threadIdx.x] = entry(t, threadIdx.x);
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= m) return;
  const uint4 v = in[i];
  unsigned s[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
  for (unsigned round = 0; round < kRounds; ++round) {
    unsigned t[4];
#pragma unroll
    for (int w = 0; w < 4; ++w)
      t[w] = tables[0][s[w] & 255] ^ tables[1][s[(w + 1) % 4] >> 8 & 255] ^
             tables[2][s[(w + 2) % 4] >> 16 & 255] ^ tables[3][s[(w + 3) % 4] >> 24] ^
             (round * 0x9e3779b9u + w);
#pragma unroll
    for (int w = 0; w < 4; ++w) s[w] = t[w];
  }
  out[i] = make_uint4(s[0], s[1], s[2], s[3]);
}
/// The greatest of 33 neighbours: windows of 2, 4, 8, 16, 32 and then one more.
__global__ void greatest_of_33(const float* in, float* out, std::size_t n) {
  __shared__ float line[2][544];
  const std::size_t first = blockIdx.x * std::size_t{512};
  for (unsigned k = threadIdx.x; k < 544; k += 512) line[0][k] = first + k < n ? in[first + k] : 0.0f;
  unsigned at = 0;
#pragma unroll
  for (unsigned d = 1; d < 32; d *= 2, at ^= 1) {
    __syncthreads();
    for (unsigned k = threadIdx.x; k < 545 - 2 * d; k += 512)
      line[at ^ 1][k] = fmaxf(line[at][k], line[at][k + d]);
  }
  __syncthreads();
  if (first + threadIdx.x < n)
    out[first + threadIdx.x] = fmaxf(line[at][threadIdx.x], line[at][threadIdx.x + 1]);
}
/// Each half of a warp solves a system of 16 unknowns; a lane keeps a row.
__global__ void __launch_bounds__(256) solve_16(const float4* matrix, const float* right, float* x) {
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 16;
  alignas(16) float row[16];
#pragma unroll
  for (int k = 0; k < 4; ++k) reinterpret_cast<float4*>(row)[k] = matrix[i * 4 + k];
#pragma unroll
  for (unsigned k = 0; k < 16; ++k)
    if (k == lane) row[k] += 100;
  float b = right[i];
#pragma unroll
  for (int p = 0; p < 16; ++p) {
    const float by = __fdividef(1.0f, __shfl_sync(~0u, row[p], p, 16));
    const float factor = lane == static_cast<unsigned>(p) ? 0 : row[p] * by;
#pragma unroll
    for (int k = p; k < 16; ++k) row[k] -= factor * __shfl_sync(~0u, row[k], p, 16);
    b -= factor * __shfl_sync(~0u, b, p, 16);
  }
  float own = 1;
#pragma unroll
  for (unsigned k = 0; k < 16; ++k)
    if (k == lane) own = row[k];
  x[i] = b / own;
}
/// A tile of 16 x 64 is read by rows, and by columns that shift as they go.
__global__ void turn_tiles(const double* in, double* out) {
  __shared__ double tile[16][64];
  const std::size_t base = blockIdx.x * std::size_t{1024};
  for (unsigned k = threadIdx.x; k < 1024; k += 128) tile[k / 64][k % 64] = in[base + k];
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 1024; k += 128) out[base + k] = tile[k % 16][(k / 16 + k) % 64];
}

}  // namespace

void shared_bound(Set& s) {
  const std::size_t n = s.n;
  s.run(
      "Fourier transforms of 256", 2 * s.one,
      [&] {
        transforms_of_256<<<static_cast<unsigned>(n / 2048), 256>>>(reinterpret_cast<float2*>(s.in),
                                                                    reinterpret_cast<float2*>(s.out));
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          double re = 0, im = 0;
          for (std::size_t k = 0; k < 256; ++k) {
            const double angle = -6.283185307179586 * static_cast<double>(i % 256 * k % 256) / 256;
            const std::size_t at = 2 * (i / 256 * 256 + k);
            re += float_of(at) * std::cos(angle) - float_of(at + 1) * std::sin(angle);
            im += float_of(at) * std::sin(angle) + float_of(at + 1) * std::cos(angle);
          }
          return std::abs(s.value(2 * i) - re) < 0.05 && std::abs(s.value(2 * i + 1) - im) < 0.05;
        });
      });
  s.run(
      "cipher by tables in shared memory", s.one / 2,
      [&] {
        cipher<<<Set::blocks(n / 16), 256>>>(reinterpret_cast<uint4*>(s.words),
                                             reinterpret_cast<uint4*>(s.out), n / 16);
      },
      [&] {
        return Set::each(n / 16, [&](std::size_t i) {
          unsigned state[4], next[4];
          for (unsigned w = 0; w < 4; ++w) state[w] = word_of(4 * i + w);
          for (unsigned round = 0; round < kRounds; ++round) {
            for (unsigned w = 0; w < 4; ++w) {
              next[w] = round * 0x9e3779b9u + w;
              for (unsigned t = 0; t < 4; ++t) next[w] ^= entry(t, state[(w + t) % 4] >> (8 * t) & 255);
            }
            std::copy(next, next + 4, state);
          }
          return s.number(4 * i) == state[0] && s.number(4 * i + 3) == state[3];
        });
      });
  s.run(
      "greatest of 33 neighbours", 2 * s.one,
      [&] { greatest_of_33<<<Set::blocks(n, 512), 512>>>(s.in, s.out, n); },
      [&] {
        return Set::each(n - 32, [&](std::size_t i) {
          float most = 0;
          for (std::size_t k = i; k <= i + 32; ++k) most = std::max(most, float_of(k));
          return s.value(i) == most;
        });
      });
  s.run(
      "systems of 16 unknowns", s.one / 2 + s.one / 16,
      [&] {
        solve_16<<<static_cast<unsigned>(n / 32 / 256), 256>>>(reinterpret_cast<float4*>(s.in), s.other,
                                                               s.out);
      },
      [&] {
        return Set::each(n / 32, [&](std::size_t i) {
          double sum = 100.0 * s.value(i);
          for (std::size_t k = 0; k < 16; ++k) sum += double{float_of(i * 16 + k)} * s.value(i / 16 * 16 + k);
          return Set::near(sum, other_of(i), 0.01);
        });
      });
  s.run(
      "doubles turned in tiles", 2 * s.one,
      [&] {
        turn_tiles<<<static_cast<unsigned>(n / 2048), 128>>>(reinterpret_cast<double*>(s.in),
                                                             reinterpret_cast<double*>(s.out));
      },
      [&] {
        return Set::each(n / 2, [&](std::size_t i) {
          const std::size_t k = i % 1024, at = i / 1024 * 1024 + k % 16 * 64 + (k / 16 + k) % 64;
          return s.value(2 * i) == float_of(2 * at) && s.value(2 * i + 1) == float_of(2 * at + 1);
        });
      });
}

}  // namespace blind

/// @file
/// A second set of kernels for measuring once, after the model was frozen, and never tuning to: unseen.cu has been looked at.
/// They were written without running any of them on the model for its times. fresh_test.cpp holds model and card together.
///
/// What is done and what is counted shrink with the slice alike: sizes come from the arrays, grids from the SMs, and what does
/// not shrink (a row's width, a kernel's window) is in no figure but as a factor of something that does.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>

#include <cstdint>

#include "bulk.hpp"
#include "checked.hpp"

namespace {

namespace cg = cooperative_groups;
using ladder::Checked;

__host__ __device__ __forceinline__ unsigned scrambled(unsigned h) {
  h ^= h >> 15;
  h *= 0x2c1b3c6du;
  h ^= h >> 12;
  h *= 0x297a2d39u;
  return h ^ h >> 15;
}
__host__ __device__ __forceinline__ unsigned word_of(std::size_t i) {
  return scrambled(static_cast<unsigned>(i));
}
__host__ __device__ __forceinline__ float float_of(std::size_t i) {
  return static_cast<float>(word_of(i) & 0xffff) * 1e-4f + 0.5f;
}
__host__ __device__ __forceinline__ float other_of(std::size_t i) {
  return float_of(i + 77777);
}
__host__ __device__ __forceinline__ float half_of(std::size_t i) {
  return static_cast<float>(word_of(i) & 255) * (1.0f / 256);
}
/// Where a scrambled word points among @p n: any n, so that tables shrink exactly with the slice.
__host__ __device__ __forceinline__ unsigned place_of(unsigned word, unsigned n) {
  return static_cast<unsigned>(static_cast<unsigned long long>(word) * n >> 32);
}
__device__ __forceinline__ std::size_t global_index() {
  return blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
}
__device__ __forceinline__ std::size_t stride() {
  return gridDim.x * std::size_t{blockDim.x};
}

__global__ void fill_words(unsigned* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = word_of(i);
}
__global__ void fill_floats(float* out, std::size_t n, std::size_t from) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = float_of(i + from);
}
__global__ void fill_halves(__half* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = __float2half(half_of(i));
}
__host__ __device__ __forceinline__ unsigned char smooth_of(std::size_t i) {
  return static_cast<unsigned char>(i / 11 + i / 4096 * 3);
}
__global__ void fill_smooth(unsigned char* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = smooth_of(i);
}

// --- streams ---

__global__ void copy_pairs(const uint2* in, uint2* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) out[i] = in[i];
}
__global__ void pixels_to_floats(const uchar4* in, float4* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const uchar4 p = in[i];
  constexpr float kScale = 1.0f / 255;
  out[i] = make_float4(p.x * kScale, p.y * kScale, p.z * kScale, p.w * kScale);
}
__global__ void sum_of_eight(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += in[i + k * m];
  out[i] = sum;
}
__global__ void interleave(const float* planes, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  out[3 * i] = planes[i];
  out[3 * i + 1] = planes[i + m];
  out[3 * i + 2] = planes[i + 2 * m];
}
__global__ void grey(const unsigned char* rgb, unsigned char* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned r = rgb[3 * i], g = rgb[3 * i + 1], b = rgb[3 * i + 2];
  out[i] = static_cast<unsigned char>((77 * r + 150 * g + 29 * b) >> 8);
}
__global__ void set_vectors(float4* out, std::size_t n, float v) {
  const std::size_t i = global_index();
  if (i < n) out[i] = make_float4(v, v + 1, v + 2, v + 3);
}
__global__ void axpby_halves(const uint4* x, const uint4* y, uint4* out, std::size_t n, float a, float b) {
  const std::size_t i = global_index();
  if (i >= n) return;
  uint4 u = x[i], v = y[i];
  auto* hu = reinterpret_cast<__half2*>(&u);
  auto* hv = reinterpret_cast<__half2*>(&v);
  const __half2 ha = __float2half2_rn(a), hb = __float2half2_rn(b);
#pragma unroll
  for (int k = 0; k < 4; ++k) hu[k] = __hfma2(ha, hu[k], __hmul2(hb, hv[k]));
  out[i] = u;
}
__global__ void reverse(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[n - 1 - i] = in[i];
}
__global__ void multiply_complex(const float2* a, const float2* b, float2* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const float2 u = a[i], v = b[i];
    out[i] = make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
  }
}
__global__ void add_outer_product(const float* in, const float* u, const float* v, float* out, int width,
                                  int height) {
  const int x = blockIdx.x * 256 + threadIdx.x, y0 = blockIdx.y * 4;
  const float c = v[x];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int y = y0 + r;
    if (y < height) out[std::size_t(y) * width + x] = in[std::size_t(y) * width + x] + u[y] * c;
  }
}
__global__ void every_fifth(const float* in, float* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = in[5 * i + 2];
}

// --- bytes and bits ---

__global__ void base64(const unsigned* in, uint4* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned w[3] = {in[3 * i], in[3 * i + 1], in[3 * i + 2]};
  unsigned result[4];
#pragma unroll
  for (int g = 0; g < 4; ++g) {
    unsigned bits = 0, packed = 0;
#pragma unroll
    for (int b = 0; b < 3; ++b) bits = bits << 8 | (w[(3 * g + b) / 4] >> ((3 * g + b) % 4 * 8) & 255);
#pragma unroll
    for (int c = 0; c < 4; ++c) {
      const unsigned v = bits >> (18 - 6 * c) & 63;
      const unsigned letter = v < 26    ? v + 'A'
                              : v < 52  ? v - 26 + 'a'
                              : v < 62  ? v - 52 + '0'
                              : v == 62 ? '+'
                                        : '/';
      packed |= letter << (8 * c);
    }
    result[g] = packed;
  }
  out[i] = make_uint4(result[0], result[1], result[2], result[3]);
}
__global__ void life(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const std::size_t at = std::size_t(y) * width + x;
  int alive = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) alive += in[at + dy * width + dx] & 1;
  alive -= in[at] & 1;
  out[at] = alive == 3 || (alive == 2 && (in[at] & 1) != 0);
}
__global__ void checksums(const uint4* in, unsigned* out, std::size_t n) {
  __shared__ unsigned table[256];
  unsigned entry = threadIdx.x;
  for (int k = 0; k < 8; ++k) entry = entry & 1 ? entry >> 1 ^ 0xedb88320u : entry >> 1;
  table[threadIdx.x] = entry;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const uint4 v = in[i];
    const unsigned words[4] = {v.x, v.y, v.z, v.w};
    unsigned crc = ~0u;
#pragma unroll
    for (int w = 0; w < 4; ++w)
#pragma unroll
      for (int b = 0; b < 4; ++b) crc = table[(crc ^ words[w] >> (8 * b)) & 255] ^ crc >> 8;
    out[i] = ~crc;
  }
}
__global__ void transpose_bits(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned lane = threadIdx.x % 32;
  unsigned x = in[i], mask = 0x0000ffffu;
#pragma unroll
  for (unsigned j = 16; j > 0; j >>= 1, mask ^= mask << j) {
    const unsigned other = __shfl_xor_sync(~0u, x, j);
    x = lane & j ? (x & ~mask) | (other >> j & mask) : (x & mask) | (other & mask) << j;
  }
  out[i] = x;
}
__constant__ unsigned codes[64];
__global__ void nearest_code(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = in[i];
  int least = 33;
#pragma unroll
  for (int k = 0; k < 64; ++k) least = min(least, __popc(v ^ codes[k]));
  out[i] = static_cast<unsigned>(least);
}
__host__ __device__ __forceinline__ unsigned spread_by_two(unsigned v) {
  v = (v | v << 16) & 0x030000ff;
  v = (v | v << 8) & 0x0300f00f;
  v = (v | v << 4) & 0x030c30c3;
  return (v | v << 2) & 0x09249249;
}
__global__ void morton(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = in[i];
  out[i] = spread_by_two(v & 1023) | spread_by_two(v >> 10 & 1023) << 1 | spread_by_two(v >> 20 & 1023) << 2;
}

// --- arithmetic ---

__global__ void rotate_points(const float* angle, const float* radius, float2* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  float s, c;
  sincosf(angle[i], &s, &c);
  out[i] = make_float2(radius[i] * c, radius[i] * s);
}
__global__ void gamma_correct(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = powf(in[i] * 0.125f, 1.0f / 2.2f);
}
__global__ void activations(const float* a, const float* b, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float x = a[i] - 3.5f;
  out[i] = 0.5f * x * (1 + erff(x * 0.70710678f)) / (1 + expf(-b[i]));
}
__global__ void hypotenuses(const double* in, double* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const double x = in[i];
  out[i] = sqrt(x * x + 1) / (x + 2);
}
__global__ void iterate_halves(const __half2* in, __half2* out, std::size_t n, int rounds) {
  const std::size_t i = global_index();
  if (i >= n) return;
  __half2 v = in[i], w = __hmul2(v, v);
  const __half2 a = __float2half2_rn(0.5f), b = __float2half2_rn(0.25f);
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) {
    v = __hfma2(v, a, b);
    w = __hfma2(w, a, v);
  }
  out[i] = __hadd2(v, w);
}
__host__ __device__ __forceinline__ unsigned long long power_of(unsigned base, unsigned long long p) {
  unsigned long long x = base % p, result = x;
#pragma unroll 1
  for (int k = 0; k < 4; ++k) {
    x = x * x % p;
    result = result * x % p;
  }
  return result;
}
__global__ void modular_powers(const unsigned* in, unsigned long long* out, std::size_t n,
                               unsigned long long p) {
  const std::size_t i = global_index();
  if (i < n) out[i] = power_of(in[i], p);
}
__host__ __device__ __forceinline__ unsigned high(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
__host__ __device__ __forceinline__ uint4 random_of(unsigned counter, unsigned key) {
  unsigned c0 = counter, c1 = 0, c2 = 1, c3 = 2, k0 = key, k1 = ~key;
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    const unsigned h0 = high(0xd2511f53u, c0), l0 = 0xd2511f53u * c0, h1 = high(0xcd9e8d57u, c2),
                   l1 = 0xcd9e8d57u * c2;
    c0 = h1 ^ c1 ^ k0, c1 = l1, c2 = h0 ^ c3 ^ k1, c3 = l0;
    k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
  }
  return make_uint4(c0, c1, c2, c3);
}
__global__ void random_numbers(uint4* out, std::size_t n, unsigned key) {
  const std::size_t i = global_index();
  if (i < n) out[i] = random_of(static_cast<unsigned>(i), key);
}
__host__ __device__ __forceinline__ unsigned date_of(unsigned day) {
  const unsigned z = day + 719468, era = z / 146097, of_era = z - era * 146097,
                 year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365,
                 of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153,
                 d = of_year - (153 * month + 2) / 5 + 1, m = month < 10 ? month + 3 : month - 9;
  return (year + era * 400 + (m <= 2)) * 10000 + m * 100 + d;
}
__global__ void dates(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = date_of(in[i] & 0xffff);
}

// --- matrices ---

/// 128 x 128 of the product a block, 8 x 8 a thread.
__global__ void __launch_bounds__(256)
    product_128(const float* a, const float* b, float* c, int n, int depth) {
  __shared__ alignas(16) float as[8][128], bs[8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 128, y0 = blockIdx.y * 128;
  float sum[8][8] = {};
  for (int k0 = 0; k0 < depth; k0 += 8) {
    const float4 u = *reinterpret_cast<const float4*>(&a[std::size_t(y0 + t / 2) * depth + k0 + t % 2 * 4]);
    const float4 v = *reinterpret_cast<const float4*>(&b[std::size_t(k0 + t / 32) * n + x0 + t % 32 * 4]);
    __syncthreads();
    as[t % 2 * 4][t / 2] = u.x, as[t % 2 * 4 + 1][t / 2] = u.y;
    as[t % 2 * 4 + 2][t / 2] = u.z, as[t % 2 * 4 + 3][t / 2] = u.w;
    *reinterpret_cast<float4*>(&bs[t / 32][t % 32 * 4]) = v;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float p[8], q[8];
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        *reinterpret_cast<float4*>(&p[4 * h]) = *reinterpret_cast<const float4*>(&as[k][ty * 4 + 64 * h]);
        *reinterpret_cast<float4*>(&q[4 * h]) = *reinterpret_cast<const float4*>(&bs[k][tx * 4 + 64 * h]);
      }
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sum[i][j] += p[i] * q[j];
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float4*>(
          &c[std::size_t(y0 + ty * 4 + i % 4 + i / 4 * 64) * n + x0 + tx * 4 + 64 * h]) =
          make_float4(sum[i][4 * h], sum[i][4 * h + 1], sum[i][4 * h + 2], sum[i][4 * h + 3]);
}
__global__ void product_of_doubles(const double* a, const double* b, double* c, int n, int depth) {
  __shared__ double as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  double sum = 0;
  for (int k0 = 0; k0 < depth; k0 += 16) {
    as[ty][tx] = a[std::size_t(y) * depth + k0 + tx];
    bs[ty][tx] = b[std::size_t(k0 + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[std::size_t(y) * n + x] = sum;
}
__global__ void small_products(const float4* a, const float4* b, float4* c, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  float4 right[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) right[r] = b[4 * i + r];
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const float4 u = a[4 * i + r];
    c[4 * i + r] = make_float4(u.x * right[0].x + u.y * right[1].x + u.z * right[2].x + u.w * right[3].x,
                               u.x * right[0].y + u.y * right[1].y + u.z * right[2].y + u.w * right[3].y,
                               u.x * right[0].z + u.y * right[1].z + u.z * right[2].z + u.w * right[3].z,
                               u.x * right[0].w + u.y * right[1].w + u.z * right[2].w + u.w * right[3].w);
  }
}
__global__ void transpose_doubles(const double* in, double* out, int width, int height) {
  __shared__ double tile[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[std::size_t(y + r) * width + x];
  __syncthreads();
  const int tx = blockIdx.y * 32 + threadIdx.x, ty = blockIdx.x * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) out[std::size_t(ty + r) * height + tx] = tile[threadIdx.x][threadIdx.y + r];
}
__global__ void banded_rows(const unsigned* column, const float* value, const float* x, float* y,
                            std::size_t m) {
  const std::size_t row = global_index();
  if (row >= m) return;
  float sum = 0;
#pragma unroll 4
  for (int k = 0; k < 16; ++k) {
    const std::size_t at = row + k * m, c = row + (column[at] & 255);
    sum += value[at] * x[c < m ? c : m - 1];
  }
  y[row] = sum;
}
__global__ void ragged_rows(const unsigned* column, const float* value, const float* x, float* y,
                            std::size_t rows, unsigned table) {
  const std::size_t row = global_index();
  if (row >= rows) return;
  const int length = 1 + (column[row * 32] & 31);
  float sum = 0;
  for (int k = 0; k < length; ++k) sum += value[row * 32 + k] * x[place_of(column[row * 32 + k], table)];
  y[row] = sum;
}

// --- reductions, scans, sorting ---

__global__ void sum_of_squares(const float* in, double* sum, std::size_t n) {
  __shared__ float part[512];
  float mine = 0;
  for (std::size_t i = global_index(); i < n; i += stride()) mine += in[i] * in[i];
  part[threadIdx.x] = mine;
  __syncthreads();
  for (unsigned d = 256; d > 0; d /= 2) {
    if (threadIdx.x < d) part[threadIdx.x] += part[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, static_cast<double>(part[0]));
}
__global__ void first_greatest(const float4* in, unsigned long long* best, std::size_t n) {
  unsigned long long mine = 0;
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const float4 v = in[i];
    const float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const unsigned long long key = static_cast<unsigned long long>(__float_as_uint(values[k])) << 32 |
                                     ~static_cast<unsigned>(4 * i + k);
      mine = key > mine ? key : mine;
    }
  }
  for (int d = 16; d > 0; d /= 2) {
    const unsigned long long other = __shfl_down_sync(~0u, mine, d);
    mine = other > mine ? other : mine;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}
__global__ void scan_tiles(const int4* in, int4* out) {
  __shared__ int totals[8];
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int4 v = in[i];
  v.y += v.x, v.z += v.y, v.w += v.z;
  int sum = v.w;
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    const int left = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += left;
  }
  if (lane == 31) totals[warp] = sum;
  __syncthreads();
  int before = sum - v.w;
  for (unsigned w = 0; w < warp; ++w) before += totals[w];
  out[i] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
}
__global__ void spans_of_rows(const float* in, float* out, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  float least = 1e30f, most = -1e30f;
  for (int c = threadIdx.x % 32; c < 200; c += 32) {
    const float v = in[row * 200 + c];
    least = fminf(least, v), most = fmaxf(most, v);
  }
  for (int d = 16; d > 0; d /= 2) {
    least = fminf(least, __shfl_xor_sync(~0u, least, d));
    most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  }
  if (threadIdx.x % 32 == 0) out[row] = most - least;
}
__global__ void column_moments(const float* in, float* out, int width, int rows_each) {
  __shared__ float part[2][8][32];
  const int x = blockIdx.x * 32 + threadIdx.x;
  float sum = 0, squares = 0;
  for (int r = threadIdx.y; r < rows_each; r += 8) {
    const float v = in[std::size_t(blockIdx.y * rows_each + r) * width + x];
    sum += v, squares += v * v;
  }
  part[0][threadIdx.y][threadIdx.x] = sum, part[1][threadIdx.y][threadIdx.x] = squares;
  __syncthreads();
  if (threadIdx.y < 2) {
    float total = 0;
    for (int r = 0; r < 8; ++r) total += part[threadIdx.y][r][threadIdx.x];
    atomicAdd(&out[threadIdx.y * width + x], total);
  }
}
__global__ void partition(const unsigned* in, unsigned* out, unsigned* count, std::size_t n) {
  __shared__ unsigned offsets[8], base;
  const std::size_t i = global_index();
  const unsigned v = i < n ? in[i] : 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool keep = (v & 3) == 0;
  const unsigned kept = __ballot_sync(~0u, keep);
  if (lane == 0) offsets[warp] = __popc(kept);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) {
      const unsigned mine = offsets[w];
      offsets[w] = sum, sum += mine;
    }
    base = atomicAdd(count, sum);
  }
  __syncthreads();
  if (keep) out[base + offsets[warp] + __popc(kept & ((1u << lane) - 1))] = v;
}
__global__ void merge_step(const unsigned* in, unsigned* out, std::size_t pairs, unsigned d) {
  const std::size_t t = global_index();
  if (t >= pairs) return;
  const std::size_t a = t / d * 2 * d + t % d, b = a + d;
  const unsigned u = in[a], v = in[b];
  out[a] = min(u, v), out[b] = max(u, v);
}
__global__ void digit_counts(const uint4* in, unsigned* out, int shift) {
  __shared__ unsigned counters[16][257];
  for (int d = 0; d < 16; ++d) counters[d][threadIdx.x] = 0;
  for (int k = 0; k < 4; ++k) {
    const uint4 v = in[(blockIdx.x * std::size_t{4} + k) * 256 + threadIdx.x];
    ++counters[v.x >> shift & 15][threadIdx.x];
    ++counters[v.y >> shift & 15][threadIdx.x];
    ++counters[v.z >> shift & 15][threadIdx.x];
    ++counters[v.w >> shift & 15][threadIdx.x];
  }
  __syncthreads();
  for (int d = threadIdx.x / 32; d < 16; d += 8) {
    unsigned sum = 0;
    for (int t = threadIdx.x % 32; t < 256; t += 32) sum += counters[d][t];
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x % 32 == 0) out[d * std::size_t{gridDim.x} + blockIdx.x] = sum;
  }
}

// --- atomics ---

__global__ void weights_of_bytes(const unsigned* in, const float* weight, float* bins, std::size_t n) {
  __shared__ float mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&mine[in[i] & 255], weight[i]);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void moments_of_classes(const unsigned* in, const float* value, double* bins, std::size_t n) {
  __shared__ double mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride())
    atomicAdd(&mine[in[i] >> 26], static_cast<double>(value[i]));
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}
__global__ void vote(const unsigned* in, unsigned long long* bins, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&bins[in[i] >> 21], 1ull);
}
__global__ void last_of_cells(const unsigned* in, int* cells, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) atomicMax(&cells[in[i] >> 18], static_cast<int>(i));
}
__global__ void insert_keys(const unsigned* keys, unsigned* slots, std::size_t n, unsigned size) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned key = keys[i] | 1;
  unsigned at = place_of(scrambled(key), size);
  for (;;) {
    const unsigned there = atomicCAS(&slots[at], 0u, key);
    if (there == 0 || there == key) return;
    at = at + 1 == size ? 0 : at + 1;
  }
}

// --- local memory ---

__global__ void sort_of_thread(const unsigned* in, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  unsigned mine[20];
#pragma unroll 1
  for (int k = 0; k < 20; ++k) {
    const unsigned v = in[i + k * m];
    int at = k;
#pragma unroll 1
    for (; at > 0 && mine[at - 1] > v; --at) mine[at] = mine[at - 1];
    mine[at] = v;
  }
#pragma unroll 1
  for (int k = 0; k < 20; ++k) out[i + k * m] = mine[k];
}
__global__ void walk_tree(const unsigned* wanted, unsigned* out, std::size_t m) {
  const std::size_t i = global_index();
  if (i >= m) return;
  const unsigned threshold = ~0u / (1 + (wanted[i] & 63));
  unsigned stack[16], count = 0;
  int top = 0;
  stack[top++] = 1;
  while (top > 0) {
    const unsigned node = stack[--top];
    if (node >= 4096 || ~0u / node < threshold) continue;
    ++count;
    stack[top++] = 2 * node + 1;
    stack[top++] = 2 * node;
  }
  out[i] = count;
}

// --- at random ---

__global__ void permute_records(const unsigned* index, const float4* in, float4* out, std::size_t records) {
  const std::size_t t = global_index(), record = t / 3;
  if (record >= records) return;
  const std::size_t from = place_of(index[record], static_cast<unsigned>(records));
  out[t] = in[from * 3 + t % 3];
}
__global__ void scatter_bytes(const unsigned* index, unsigned char* out, std::size_t n, unsigned size) {
  const std::size_t i = global_index();
  if (i < n) out[place_of(index[i], size)] = 7;
}
__global__ void sample_table(const unsigned* where, const unsigned* there, const float* table, float* out,
                             std::size_t n, unsigned rows) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned a = where[i], x = place_of(a, 1023), y = place_of(there[i], rows - 1);
  const float fx = static_cast<float>(a & 255) * (1.0f / 256), *p = &table[y * std::size_t{1024} + x];
  const float u = p[0] + fx * (p[1] - p[0]), v = p[1024] + fx * (p[1025] - p[1024]);
  out[i] = 0.5f * (u + v);
}
__global__ void fetch_table(cudaTextureObject_t table, const unsigned* index, float* out, std::size_t n,
                            unsigned size) {
  const std::size_t i = global_index();
  if (i < n) out[i] = tex1Dfetch<float>(table, static_cast<int>(place_of(index[i], size)));
}
__global__ void follow_links(const unsigned* next, unsigned* out, unsigned size, int steps) {
  unsigned at = place_of(scrambled(static_cast<unsigned>(global_index())), size);
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = place_of(next[at], size);
  out[global_index()] = at;
}

// --- constants and textures ---

__constant__ float4 colours[256];
__constant__ float taps[32];

__global__ void colour_pixels(const unsigned char* in, float4* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = colours[in[i]];
}
__global__ void filter_taps(const float* in, float* out, std::size_t n) {
  __shared__ float line[256 + 32];
  const std::size_t first = blockIdx.x * std::size_t{256};
  for (unsigned k = threadIdx.x; k < 256 + 31; k += 256) line[k] = first + k < n ? in[first + k] : 0.0f;
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 32; ++k) sum += taps[k] * line[threadIdx.x + k];
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}
__global__ void halve_image(cudaTextureObject_t image, float4* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float4>(image, 2 * x + 1.25f, 2 * y + 1.25f);
}
__global__ void turn_image(cudaTextureObject_t image, float4* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float4>(image, y + 0.5f, x + 0.5f);
}
__global__ void enlarge_image(cudaTextureObject_t image, float2* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<float2>(image, x * 0.25f + 0.625f, y * 0.25f + 0.625f);
}
__global__ void sum_of_nine(cudaTextureObject_t image, int* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  int sum = 0;
#pragma unroll
  for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
    for (int dx = -1; dx <= 1; ++dx) sum += tex2D<short>(image, x + dx + 0.5f, y + dy + 0.5f);
  out[std::size_t(y) * width + x] = sum;
}

// --- asynchronous copies ---

__global__ void ring_of_four(const float4* in, float4* out, std::size_t n) {
  __shared__ alignas(16) float4 ring[4][128];
  const std::size_t step = stride();
  std::size_t ahead = global_index();
  for (int s = 0; s < 3; ++s, ahead += step) {
    if (ahead < n) __pipeline_memcpy_async(&ring[s][threadIdx.x], &in[ahead], 16);
    __pipeline_commit();
  }
  int at = 0;
  for (std::size_t i = global_index(); i < n; i += step, ahead += step) {
    if (ahead < n) __pipeline_memcpy_async(&ring[(at + 3) % 4][threadIdx.x], &in[ahead], 16);
    __pipeline_commit();
    __pipeline_wait_prior(3);
    float4 v = ring[at][threadIdx.x];
    v.x = v.x * v.x + v.y, v.z = v.z * v.z + v.w;
    out[i] = v;
    at = (at + 1) % 4;
  }
}
__global__ void nine_of_a_line(const float* in, float* out, std::size_t n) {
  __shared__ float line[256 + 8];
  const std::size_t first = blockIdx.x * std::size_t{256};
  for (unsigned k = threadIdx.x; k < 256 + 8; k += 256) {
    if (first + k < n)
      __pipeline_memcpy_async(&line[k], &in[first + k], 4);
    else
      line[k] = 0;
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 9; ++k) sum += line[threadIdx.x + k];
  if (first + threadIdx.x < n) out[first + threadIdx.x] = sum;
}
/// A ring of three buffers of 4 kB that bulk copies fill.
__global__ void ring_of_bulk_copies(const float* in, float* out, std::size_t chunks) {
  __shared__ alignas(128) float ring[3][1024];
  __shared__ std::uint64_t full[3];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 3; ++s) ladder::init_barrier(&full[s], 1);
    ladder::publish_barriers();
  }
  __syncthreads();
  if (threadIdx.x == 0)
    for (unsigned s = 0; s < 3; ++s) {
      const std::size_t chunk = blockIdx.x + s * std::size_t{gridDim.x};
      if (chunk < chunks) ladder::bulk_load(ring[s], in + chunk * 1024, 4096, &full[s]);
    }
  unsigned at = 0, phase = 0;
  for (std::size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    ladder::wait_for(&full[at], phase);
    for (unsigned k = threadIdx.x; k < 1024; k += blockDim.x) out[chunk * 1024 + k] = 2 * ring[at][k] + 1;
    __syncthreads();
    const std::size_t ahead = chunk + 3 * std::size_t{gridDim.x};
    if (threadIdx.x == 0 && ahead < chunks) ladder::bulk_load(ring[at], in + ahead * 1024, 4096, &full[at]);
    if (++at == 3) at = 0, phase ^= 1;
  }
}
__global__ void store_in_bulk(const float4* in, float4* out, std::size_t tiles) {
  __shared__ alignas(128) float4 tile[2][128];
  unsigned at = 0;
  for (std::size_t t = blockIdx.x; t < tiles; t += gridDim.x, at ^= 1) {
    float4 v = in[t * 128 + threadIdx.x];
    v.x += 1, v.y += 2;
    tile[at][threadIdx.x] = v;
    ladder::publish_stores();
    __syncthreads();
    if (threadIdx.x == 0) {
      ladder::bulk_store(out + t * 128, tile[at], 2048);
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) ladder::wait_until_stored();
}

// --- clusters ---

__global__ void __cluster_dims__(4, 1, 1)
    count_in_clusters(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned mine[1024];
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) mine[b] = 0;
  cluster.sync();
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const unsigned bin = in[i] >> 20;
    atomicAdd(cluster.map_shared_rank(&mine[bin & 1023], bin >> 10), 1u);
  }
  cluster.sync();
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * 1024 + b], mine[b]);
}
__global__ void __cluster_dims__(2, 1, 1) shares_of_rows(const float* in, float* out) {
  __shared__ float parts[16], total;
  const cg::cluster_group cluster = cg::this_cluster();
  const std::size_t base = blockIdx.x * std::size_t{4096} + threadIdx.x;
  float v[8], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) v[k] = in[base + k * 512], sum += v[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int w = 0; w < 16; ++w) all += parts[w];
    total = all;
  }
  cluster.sync();
  const float scale = 1 / (total + *cluster.map_shared_rank(&total, cluster.block_rank() ^ 1));
#pragma unroll
  for (int k = 0; k < 8; ++k) out[base + k * 512] = v[k] * scale;
  cluster.sync();  // nobody leaves while the other reads
}

// --- tails, few warps ---

__host__ __device__ __forceinline__ float settled(float v, int rounds) {
#pragma unroll 4
  for (int k = 0; k < rounds; ++k) v = v * 0.75f + 0.125f;
  return v;
}
__global__ void __launch_bounds__(256) long_chains(const float* in, float* out, int rounds) {
  out[global_index()] = settled(in[global_index()], rounds);
}
/// The median of each block's 16384 values, by halving 24 times.
__global__ void __launch_bounds__(1024) medians(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t base = blockIdx.x * std::size_t{16384} % (n - 16384) + threadIdx.x;
  unsigned v[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) v[k] = in[base + k * 1024];
  unsigned low = 0;
#pragma unroll 1
  for (int bit = 31; bit >= 8; --bit) {
    const unsigned at = low | 1u << bit;
    int below = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k) below += v[k] < at;
    __shared__ int parts[32];
    below = __reduce_add_sync(~0u, below);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = below;
    __syncthreads();
    const int all = __reduce_add_sync(~0u, parts[threadIdx.x % 32]);
    __syncthreads();
    if (all <= 8192) low = at;
  }
  if (threadIdx.x == 0) out[blockIdx.x] = low;
}
/// A state machine over a table that takes half of an SM's shared memory.
__global__ void __launch_bounds__(128) run_machines(const unsigned* rules, unsigned* out, int steps) {
  extern __shared__ unsigned table[];
  for (unsigned k = threadIdx.x; k < 24576; k += 128) table[k] = place_of(rules[k], 24576);
  __syncthreads();
  unsigned at = threadIdx.x * 190;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = table[at];
  out[global_index()] = at;
}

// --- stencils, bodies, clusters of points ---

__global__ void wave(const float* now, const float* before, float* next, int width, int height) {
  const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x < 4 || y < 4 || x >= width - 4 || y >= height - 4) return;
  const std::size_t at = std::size_t(y) * width + x;
  constexpr float kWeights[5] = {-2.847222f, 1.6f, -0.2f, 0.02539683f, -0.001785714f};
  float laplace = 2 * kWeights[0] * now[at];
#pragma unroll
  for (int k = 1; k <= 4; ++k)
    laplace += kWeights[k] * (now[at - k] + now[at + k] + now[at - k * width] + now[at + k * width]);
  next[at] = 2 * now[at] - before[at] + 0.1f * laplace;
}
__global__ void steepness(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y,
            z = blockIdx.z * 2 + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const std::size_t plane = std::size_t(nx) * ny, at = z * plane + std::size_t(y) * nx + x;
  const float dx = in[at + 1] - in[at - 1], dy = in[at + nx] - in[at - nx],
              dz = in[at + plane] - in[at - plane];
  out[at] = sqrtf(dx * dx + dy * dy + dz * dz);
}
__global__ void forces_by_shuffles(const float4* bodies, float* out, int n) {
  const float4 me = bodies[global_index()];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 32) {
    const float4 other = bodies[t + threadIdx.x % 32];
#pragma unroll 8
    for (int k = 0; k < 32; ++k) {
      const float dx = __shfl_sync(~0u, other.x, k) - me.x, dy = __shfl_sync(~0u, other.y, k) - me.y,
                  dz = __shfl_sync(~0u, other.z, k) - me.z, r2 = dx * dx + dy * dy + dz * dz + 0.25f,
                  f = __frsqrt_rn(r2) / r2;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
  }
  out[global_index()] = ax + ay + az;
}
__global__ void nearest_centre(const float4* points, const float4* centres, unsigned* out, std::size_t n) {
  __shared__ float4 c[16];
  if (threadIdx.x < 16) c[threadIdx.x] = centres[threadIdx.x];
  __syncthreads();
  const std::size_t i = global_index();
  if (i >= n) return;
  const float4 p = points[i];
  float least = 1e30f;
  unsigned best = 0;
#pragma unroll
  for (unsigned k = 0; k < 16; ++k) {
    const float dx = p.x - c[k].x, dy = p.y - c[k].y, dz = p.z - c[k].z, dw = p.w - c[k].w;
    const float d = dx * dx + dy * dy + dz * dz + dw * dw;
    if (d < least) least = d, best = k;
  }
  out[i] = best;
}

cudaTextureObject_t image_of(const void* data, cudaChannelFormatDesc format, int width, int height,
                             std::size_t pitch, bool linear, bool normalised) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = const_cast<void*>(data);
  what.res.pitch2D.desc = format;
  what.res.pitch2D.width = static_cast<std::size_t>(width);
  what.res.pitch2D.height = static_cast<std::size_t>(height);
  what.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  how.readMode = normalised ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  cudaTextureObject_t image = 0;
  ladder::check(cudaCreateTextureObject(&image, &what, &how, nullptr), "cudaCreateTextureObject");
  return image;
}
cudaTextureObject_t table_of(const float* data, std::size_t n) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeLinear;
  what.res.linear.devPtr = const_cast<float*>(data);
  what.res.linear.desc = cudaCreateChannelDesc<float>();
  what.res.linear.sizeInBytes = n * 4;
  cudaTextureDesc how{};
  how.readMode = cudaReadModeElementType;
  cudaTextureObject_t table = 0;
  ladder::check(cudaCreateTextureObject(&table, &what, &how, nullptr), "cudaCreateTextureObject");
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  Checked bench(argc, argv);
  const std::size_t bytes = bench.bench().array_bytes, n = bytes / 4;
  const unsigned sms = static_cast<unsigned>(bench.bench().sms), resident = sms * 8;
  auto* words = bench.bench().array<unsigned>(bytes);
  auto* in = bench.bench().array<float>(bytes);
  auto* other = bench.bench().array<float>(bytes);
  auto* halves = bench.bench().array<__half>(bytes);
  auto* smooth = bench.bench().array<unsigned char>(bytes / 4);
  auto* out = bench.bench().array<float>(bytes);
  auto* numbers = reinterpret_cast<unsigned*>(out);
  auto* vectors = reinterpret_cast<float4*>(out);
  auto* doubles = reinterpret_cast<double*>(other);
  fill_words<<<resident, 256>>>(words, n);
  fill_floats<<<resident, 256>>>(in, n, 0);
  fill_floats<<<resident, 256>>>(other, n, 77777);
  fill_halves<<<resident, 256>>>(halves, 2 * n);
  fill_smooth<<<resident, 256>>>(smooth, bytes / 4);
  ladder::check(cudaDeviceSynchronize(), "fill");
  const auto blocks = [](std::size_t threads, unsigned of = 256) {
    return static_cast<unsigned>((threads + of - 1) / of);
  };
  const auto run = [&](const char* name, double moved, const std::function<void()>& launch,
                       const std::function<bool()>& right) {
    bench.run(name, moved, out, bytes, launch, right);
  };
  const auto each = Checked::each;
  const auto near = [](double got, double want, double tolerance = 1e-3) {
    const bool good = Checked::near(got, want, tolerance);
    if (!good) std::printf("  %g, not %g\n", got, want);
    return good;
  };
  const auto value = [&](std::size_t i) { return Checked::at(out, i); };
  const auto number = [&](std::size_t i) { return Checked::at(numbers, i); };
  const auto byte = [&](std::size_t i) {
    return Checked::at(reinterpret_cast<const unsigned char*>(out), i);
  };
  const double one = static_cast<double>(bytes), two = 2 * one;
  const auto table = static_cast<unsigned>(n / 21);  // 24 MB of a card's L2, 2 MB of a slice's
  const int width = 4096, height = static_cast<int>(n / width);

  // --- streams ---
  run(
      "pairs, four blocks an SM", two,
      [&] {
        copy_pairs<<<sms * 4, 256>>>(reinterpret_cast<uint2*>(words), reinterpret_cast<uint2*>(out), n / 2);
      },
      [&] { return each(n, [&](std::size_t i) { return number(i) == word_of(i); }); });
  run(
      "pixels to floats", 1.25 * one,
      [&] { pixels_to_floats<<<blocks(n / 4), 256>>>(reinterpret_cast<uchar4*>(words), vectors, n / 4); },
      [&] {
        return each(n, [&](std::size_t i) {
          return near(value(i), (word_of(i / 4) >> (8 * (i % 4)) & 255) / 255.0);
        });
      });
  run(
      "sum of eight arrays", 9 * one / 8, [&] { sum_of_eight<<<blocks(n / 8), 256>>>(in, out, n / 8); },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          double sum = 0;
          for (int k = 0; k < 8; ++k) sum += float_of(i + k * (n / 8));
          return near(value(i), sum);
        });
      });
  run(
      "planes to pixels", two, [&] { interleave<<<blocks(n / 3), 256>>>(in, out, n / 3); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), float_of(i / 3 + i % 3 * (n / 3))); });
      });
  run(
      "grey pixels", one,
      [&] {
        grey<<<blocks(n), 256>>>(reinterpret_cast<unsigned char*>(words),
                                 reinterpret_cast<unsigned char*>(out), n);
      },
      [&] {
        return each(n, [&](std::size_t i) {
          const auto of = [&](std::size_t b) { return word_of(b / 4) >> (8 * (b % 4)) & 255; };
          return byte(i) == (77 * of(3 * i) + 150 * of(3 * i + 1) + 29 * of(3 * i + 2)) >> 8;
        });
      });
  run(
      "vectors set", one, [&] { set_vectors<<<blocks(n / 4), 256>>>(vectors, n / 4, 3.0f); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), 3.0 + static_cast<double>(i % 4)); });
      });
  run(
      "memset", one, [&] { cudaMemsetAsync(out, 0x5a, bytes); },
      [&] { return each(n, [&](std::size_t i) { return number(i) == 0x5a5a5a5au; }); });
  run(
      "copy of a pitched image", 2.0 * 4000 * 4 * height,
      [&] {
        cudaMemcpy2DAsync(out, 16384, in, 16384, 16000, static_cast<std::size_t>(height),
                          cudaMemcpyDeviceToDevice);
      },
      [&] {
        return each(static_cast<std::size_t>(height), [&](std::size_t y) {
          return near(value(y * width + 3999), float_of(y * width + 3999)) && number(y * width + 4000) == 0;
        });
      });
  run(
      "axpby of halves", 3 * one,
      [&] {
        axpby_halves<<<blocks(n / 4), 256>>>(reinterpret_cast<uint4*>(halves),
                                             reinterpret_cast<uint4*>(halves), reinterpret_cast<uint4*>(out),
                                             n / 4, 2.0f, 0.5f);
      },
      [&] {
        return each(2 * n, [&](std::size_t i) {
          return near(__half2float(Checked::at(reinterpret_cast<const __half*>(out), i)), 2.5 * half_of(i),
                      4e-3);
        });
      });
  run(
      "reverse", two, [&] { reverse<<<blocks(n), 256>>>(in, out, n); },
      [&] { return each(n, [&](std::size_t i) { return near(value(i), float_of(n - 1 - i)); }); });
  run(
      "complex products", 3 * one,
      [&] {
        multiply_complex<<<resident, 256>>>(reinterpret_cast<float2*>(in), reinterpret_cast<float2*>(other),
                                            reinterpret_cast<float2*>(out), n / 2);
      },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          return near(value(2 * i + 1), double{float_of(2 * i)} * other_of(2 * i + 1) +
                                            double{float_of(2 * i + 1)} * other_of(2 * i));
        });
      });
  run(
      "outer product added", two,
      [&] {
        add_outer_product<<<dim3(width / 256, (height + 3) / 4), 256>>>(in, other, other + n / 2, out, width,
                                                                        height);
      },
      [&] {
        return each(std::size_t(width) * height, [&](std::size_t i) {
          return near(value(i), float_of(i) + double{other_of(i / width)} * other_of(n / 2 + i % width));
        });
      });
  run(
      "every fifth", 8.0 * static_cast<double>(n / 5),
      [&] { every_fifth<<<blocks(n / 5), 256>>>(in, out, n / 5); },
      [&] { return each(n / 5, [&](std::size_t i) { return near(value(i), float_of(5 * i + 2)); }); });

  // --- bytes and bits ---
  run(
      "base64", 7 * one / 4,
      [&] { base64<<<blocks(n / 4), 256>>>(words, reinterpret_cast<uint4*>(out), n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          const unsigned first = word_of(3 * i) >> 2 & 63;
          const char* letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
          const unsigned last = word_of(3 * i + 2) >> 24 & 63;
          return byte(16 * i) == letters[first] && byte(16 * i + 15) == letters[last];
        });
      });
  {
    const int rows = static_cast<int>(bytes / 4096);
    run(
        "life", two,
        [&] {
          life<<<dim3(4096 / 64, (rows + 3) / 4), dim3(64, 4)>>>(
              reinterpret_cast<unsigned char*>(words), reinterpret_cast<unsigned char*>(out), 4096, rows);
        },
        [&] {
          return each(bytes, [&](std::size_t i) {
            const std::size_t x = i % 4096, y = i / 4096;
            const auto alive = [&](std::size_t b) { return word_of(b / 4) >> (8 * (b % 4)) & 1; };
            if (x == 0 || x == 4095 || y == 0 || y + 1 == static_cast<std::size_t>(rows)) return byte(i) == 0;
            unsigned sum = 0;
            for (int dy = -1; dy <= 1; ++dy)
              for (int dx = -1; dx <= 1; ++dx)
                if (dx != 0 || dy != 0) sum += alive(i + dy * 4096L + dx);
            return byte(i) == (sum == 3 || (sum == 2 && alive(i)));
          });
        });
  }
  run(
      "checksums", 1.25 * one,
      [&] { checksums<<<resident, 256>>>(reinterpret_cast<uint4*>(words), numbers, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          unsigned crc = ~0u;
          for (int b = 0; b < 16; ++b) {
            crc ^= word_of(4 * i + b / 4) >> (8 * (b % 4)) & 255;
            for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
          }
          return number(i) == ~crc;
        });
      });
  run(
      "bits transposed", two, [&] { transpose_bits<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned want = 0;
          for (unsigned b = 0; b < 32; ++b) want |= (word_of(i / 32 * 32 + b) >> (i % 32) & 1) << b;
          return number(i) == want;
        });
      });
  unsigned code[64];
  for (unsigned k = 0; k < 64; ++k) code[k] = word_of(k * 977 + 5);
  cudaMemcpyToSymbol(codes, code, sizeof code);
  run(
      "nearest code", two, [&] { nearest_code<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          int least = 33;
          for (const unsigned c : code) least = std::min(least, __builtin_popcount(c ^ word_of(i)));
          return number(i) == static_cast<unsigned>(least);
        });
      });
  run(
      "morton codes", two, [&] { morton<<<blocks(n), 256>>>(words, numbers, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned want = 0;
          for (unsigned b = 0; b < 30; ++b) want |= (word_of(i) >> b & 1) << (b % 10 * 3 + b / 10);
          return number(i) == want;
        });
      });

  // --- arithmetic ---
  run(
      "points rotated", two,
      [&] { rotate_points<<<blocks(n / 2), 256>>>(in, other, reinterpret_cast<float2*>(out), n / 2); },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          return std::abs(value(2 * i) - other_of(i) * std::cos(double{float_of(i)})) < 1e-4;
        });
      });
  run(
      "gamma", two, [&] { gamma_correct<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n, [&](std::size_t i) { return near(value(i), std::pow(float_of(i) / 8.0, 1 / 2.2)); });
      });
  run(
      "activations", 3 * one, [&] { activations<<<blocks(n), 256>>>(in, other, out, n); },
      [&] {
        return each(n, [&](std::size_t i) {
          const double x = float_of(i) - 3.5;
          return std::abs(value(i) - 0.5 * x * (1 + std::erf(x * 0.70710678)) /
                                         (1 + std::exp(-double{other_of(i)}))) < 1e-4;
        });
      });
  // Pairs of the floats are doubles of some value; what counts is that each is finite.
  run(
      "hypotenuses of doubles", two,
      [&] { hypotenuses<<<blocks(n / 2), 256>>>(doubles, reinterpret_cast<double*>(out), n / 2); },
      [&] {
        return each(n / 2, [&](std::size_t i) {
          const double x = Checked::at(doubles, i);
          return near(Checked::at(reinterpret_cast<const double*>(out), i), std::sqrt(x * x + 1) / (x + 2),
                      1e-9);
        });
      });
  run(
      "map of halves", two / 8,
      [&] {
        iterate_halves<<<blocks(n / 8), 256>>>(reinterpret_cast<__half2*>(halves),
                                               reinterpret_cast<__half2*>(out), n / 8, 96);
      },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          return near(__half2float(Checked::at(reinterpret_cast<const __half*>(out), 2 * i)), 1.5, 0.02);
        });
      });
  constexpr unsigned long long kPrime = 2147483647;
  run(
      "modular powers", 3 * one / 4,
      [&] {
        modular_powers<<<blocks(n / 4), 256>>>(words, reinterpret_cast<unsigned long long*>(out), n / 4,
                                               kPrime);
      },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return Checked::at(reinterpret_cast<const unsigned long long*>(out), i) ==
                 power_of(word_of(i), kPrime);
        });
      });
  run(
      "random numbers", one,
      [&] { random_numbers<<<blocks(n / 4), 256>>>(reinterpret_cast<uint4*>(out), n / 4, 42u); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return number(4 * i + 2) == random_of(static_cast<unsigned>(i), 42u).z;
        });
      });
  run(
      "dates", two, [&] { dates<<<blocks(n), 256>>>(words, numbers, n); },
      [&] { return each(n, [&](std::size_t i) { return number(i) == date_of(word_of(i) & 0xffff); }); });

  // --- matrices: the second factor does not shrink, and is in no figure ---
  {
    const int size = 256, depth = 512;
    const auto rows = sms * 128;
    const double work = 2.0 * rows * size * depth;
    const auto product_at = [&](std::size_t y, std::size_t x) {
      double sum = 0;
      for (int k = 0; k < depth; ++k)
        sum += double{float_of(y * depth + k)} * other_of(std::size_t(k) * size + x);
      return sum;
    };
    const bool fits = std::size_t{rows} * depth <= n;
    run(
        "product 128 x 128", work,
        [&] {
          if (fits) product_128<<<dim3(size / 128, rows / 128), 256>>>(in, other, out, size, depth);
        },
        [&] {
          return !fits || each(std::size_t{rows} * size,
                               [&](std::size_t i) { return near(value(i), product_at(i / size, i % size)); });
        });
    auto* a = reinterpret_cast<double*>(in);
    const bool all = std::size_t{rows} * depth <= n / 2;
    run(
        "product of doubles, tiles of 16", work,
        [&] {
          if (all)
            product_of_doubles<<<dim3(size / 16, rows / 16), dim3(16, 16)>>>(
                a, doubles, reinterpret_cast<double*>(out), size, depth);
        },
        [&] {
          return !all || each(std::size_t{rows} * size, [&](std::size_t i) {
            double sum = 0;
            const std::size_t y = i / size, x = i % size;
            for (int k = 0; k < depth; ++k)
              sum += Checked::at(a, y * depth + k) * Checked::at(doubles, std::size_t(k) * size + x);
            return near(Checked::at(reinterpret_cast<const double*>(out), i), sum, 1e-9);
          });
        });
  }
  run(
      "products of 4 x 4", 3 * one,
      [&] {
        small_products<<<blocks(n / 16), 256>>>(reinterpret_cast<float4*>(in),
                                                reinterpret_cast<float4*>(other), vectors, n / 16);
      },
      [&] {
        return each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 4; ++k)
            sum += double{float_of(i / 4 * 4 + k)} * other_of(i / 16 * 16 + k * 4 + i % 4);
          return near(value(i), sum);
        });
      });
  {
    const int wide = 2048, high = height / 32 * 32;
    run(
        "transpose of doubles", 16.0 * wide * high,
        [&] {
          transpose_doubles<<<dim3(wide / 32, high / 32), dim3(32, 8)>>>(
              doubles, reinterpret_cast<double*>(out), wide, high);
        },
        [&] {
          return each(std::size_t(wide) * high, [&](std::size_t i) {
            return Checked::at(reinterpret_cast<const double*>(out), i) ==
                   Checked::at(doubles, i % high * wide + i / high);
          });
        });
  }
  run(
      "banded rows", two, [&] { banded_rows<<<blocks(n / 16), 256>>>(words, in, other, out, n / 16); },
      [&] {
        const std::size_t m = n / 16;
        return each(m, [&](std::size_t row) {
          double sum = 0;
          for (int k = 0; k < 16; ++k)
            sum +=
                double{float_of(row + k * m)} * other_of(std::min(row + (word_of(row + k * m) & 255), m - 1));
          return near(value(row), sum);
        });
      });
  run(
      "ragged rows", one,
      [&] { ragged_rows<<<blocks(n / 32, 128), 128>>>(words, in, other, out, n / 32, table); },
      [&] {
        return each(n / 32, [&](std::size_t row) {
          double sum = 0;
          for (unsigned k = 0; k < 1 + (word_of(row * 32) & 31); ++k)
            sum += double{float_of(row * 32 + k)} * other_of(place_of(word_of(row * 32 + k), table));
          return near(value(row), sum);
        });
      });

  // --- reductions, scans, sorting ---
  run(
      "sum of squares", one, [&] { sum_of_squares<<<sms * 4, 512>>>(in, reinterpret_cast<double*>(out), n); },
      [&] {
        const double mean = 0.5 + 6.5535 / 2, squares = mean * mean + 6.5535 * 6.5535 / 12;
        return near(Checked::at(reinterpret_cast<const double*>(out), 0) / static_cast<double>(n), squares,
                    0.01);
      });
  run(
      "first greatest", one,
      [&] {
        first_greatest<<<resident, 256>>>(reinterpret_cast<float4*>(in),
                                          reinterpret_cast<unsigned long long*>(out), n / 4);
      },
      [&] {
        std::size_t best = 0;
        for (std::size_t i = 0; i < std::min(n, std::size_t{1} << 22); ++i)
          if (float_of(i) > float_of(best)) best = i;
        return number(0) == ~static_cast<unsigned>(best);
      });
  run(
      "scan of tiles", two,
      [&] {
        scan_tiles<<<static_cast<unsigned>(n / 1024), 256>>>(reinterpret_cast<int4*>(words),
                                                             reinterpret_cast<int4*>(out));
      },
      [&] {
        return each(n, [&](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = i / 1024 * 1024; k <= i; ++k) sum += word_of(k);
          return number(i) == sum;
        });
      });
  run(
      "spans of rows of 200", one, [&] { spans_of_rows<<<blocks(n / 200 * 32), 256>>>(in, out, n / 200); },
      [&] {
        return each(n / 200, [&](std::size_t row) {
          float least = 1e30f, most = -1e30f;
          for (std::size_t k = row * 200; k < row * 200 + 200; ++k)
            least = std::min(least, float_of(k)), most = std::max(most, float_of(k));
          return near(value(row), most - least);
        });
      });
  {
    const int rows_each = 128, chunks = std::max(1, height / rows_each), rows = std::min(height, rows_each);
    run(
        "moments of columns", 4.0 * width * rows * chunks,
        [&] {
          column_moments<<<dim3(width / 32, static_cast<unsigned>(chunks)), dim3(32, 8)>>>(in, out, width,
                                                                                           rows);
        },
        [&] {
          double sum = 0;
          for (int y = 0; y < rows * chunks; ++y) sum += float_of(std::size_t(y) * width + 17);
          return near(value(17), sum, 2e-3);
        });
  }
  unsigned* count = nullptr;
  ladder::check(cudaMalloc(&count, 4), "cudaMalloc");
  run(
      "partition by blocks", 1.25 * one,
      [&] {
        cudaMemsetAsync(count, 0, 4);
        partition<<<blocks(n), 256>>>(words, numbers, count, n);
      },
      [&] {
        const unsigned kept = Checked::at(count, 0);
        return near(kept, static_cast<double>(n) / 4, 0.02) &&
               each(kept, [&](std::size_t i) { return (number(i) & 3) == 0; });
      });
  run(
      "merge step", two, [&] { merge_step<<<blocks(n / 2), 256>>>(words, numbers, n / 2, 8192); },
      [&] {
        return each(n / 16384 * 16384, [&](std::size_t i) {
          const std::size_t o = i ^ 8192;
          const unsigned a = word_of(i), b = word_of(o);
          return number(i) == (i < o ? std::min(a, b) : std::max(a, b));
        });
      });
  run(
      "digits counted by blocks", one,
      [&] {
        digit_counts<<<static_cast<unsigned>(n / 4096), 256>>>(reinterpret_cast<uint4*>(words), numbers, 8);
      },
      [&] {
        unsigned want = 0;
        for (std::size_t i = 4096; i < 8192; ++i) want += (word_of(i) >> 8 & 15) == 5;
        return number(5 * (n / 4096) + 1) == want;
      });

  // --- atomics ---
  run(
      "weights of bytes in shared memory", one / 2,
      [&] { weights_of_bytes<<<resident, 256>>>(words, in, out, n / 4); },
      [&] {
        double sum = 0;
        for (std::size_t b = 0; b < 256; ++b) sum += value(b);
        return near(sum / static_cast<double>(n / 4), 0.5 + 6.5535 / 2, 0.01);
      });
  run(
      "sums of classes in shared memory, double", one / 4,
      [&] { moments_of_classes<<<sms * 4, 256>>>(words, in, reinterpret_cast<double*>(out), n / 8); },
      [&] {
        double sum = 0;
        for (std::size_t b = 0; b < 64; ++b) sum += Checked::at(reinterpret_cast<const double*>(out), b);
        return near(sum / static_cast<double>(n / 8), 0.5 + 6.5535 / 2, 0.01);
      });
  run(
      "votes, 64 bits", one / 16,
      [&] { vote<<<resident, 256>>>(words, reinterpret_cast<unsigned long long*>(out), n / 16); },
      [&] {
        unsigned long long sum = 0;
        for (std::size_t b = 0; b < 2048; ++b)
          sum += Checked::at(reinterpret_cast<const unsigned long long*>(out), b);
        return sum == n / 16;
      });
  run(
      "last of 16384 cells", one / 16,
      [&] { last_of_cells<<<blocks(n / 16), 256>>>(words, reinterpret_cast<int*>(out), n / 16); },
      [&] { return number(word_of(n / 16 - 1) >> 18) == n / 16 - 1; });
  run(
      "keys into a hash table", one / 32,
      [&] { insert_keys<<<blocks(n / 32), 256>>>(words, numbers, n / 32, static_cast<unsigned>(n / 16)); },
      [&] {
        const auto size = static_cast<unsigned>(n / 16);
        return each(n / 32, [&](std::size_t i) {
          const unsigned key = word_of(i) | 1;
          for (unsigned at = place_of(scrambled(key), size), tries = 0; tries < 1000;
               ++tries, at = at + 1 == size ? 0 : at + 1) {
            const unsigned there = number(at);
            if (there == key) return true;
            if (there == 0) return false;
          }
          return false;
        });
      });

  // --- local memory ---
  run(
      "twenty sorted by a thread", one,
      [&] { sort_of_thread<<<blocks(n / 40, 128), 128>>>(words, numbers, n / 40); },
      [&] {
        return each(n / 40, [&](std::size_t i) {
          std::vector<unsigned> all;
          for (std::size_t k = 0; k < 20; ++k) all.push_back(word_of(i + k * (n / 40)));
          std::sort(all.begin(), all.end());
          return number(i + 9 * (n / 40)) == all[9];
        });
      });
  run(
      "a tree with a stack", one / 8,
      [&] { walk_tree<<<blocks(n / 16, 128), 128>>>(words, numbers, n / 16); },
      [&] {
        return each(n / 16, [&](std::size_t i) {
          const unsigned threshold = ~0u / (1 + (word_of(i) & 63));
          unsigned want = 0;
          for (unsigned k = 1; k < 4096; ++k) want += ~0u / k >= threshold;
          return number(i) == want;
        });
      });

  // --- at random ---
  run(
      "records permuted", two,
      [&] {
        permute_records<<<blocks(n / 4, 192), 192>>>(words, reinterpret_cast<float4*>(in), vectors, n / 12);
      },
      [&] {
        const std::size_t records = n / 12;
        return each(records, [&](std::size_t r) {
          return near(value(r * 12 + 7),
                      float_of(place_of(word_of(r), static_cast<unsigned>(records)) * std::size_t{12} + 7));
        });
      });
  run(
      "bytes scattered", 5.0 * static_cast<double>(n / 32),
      [&] {
        scatter_bytes<<<blocks(n / 32), 256>>>(words, reinterpret_cast<unsigned char*>(out), n / 32,
                                               static_cast<unsigned>(bytes));
      },
      [&] {
        return each(n / 32, [&](std::size_t i) {
          return byte(place_of(word_of(i), static_cast<unsigned>(bytes))) == 7;
        });
      });
  run(
      "table between points", 12.0 * static_cast<double>(n / 8),
      [&] { sample_table<<<blocks(n / 8), 256>>>(words, words + n / 2, in, out, n / 8, table / 1024); },
      [&] {
        return each(n / 8, [&](std::size_t i) {
          const unsigned a = word_of(i);
          const std::size_t p =
              place_of(word_of(n / 2 + i), table / 1024 - 1) * std::size_t{1024} + place_of(a, 1023);
          const double f = (a & 255) / 256.0, u = float_of(p) + f * (float_of(p + 1) - float_of(p)),
                       v = float_of(p + 1024) + f * (float_of(p + 1025) - float_of(p + 1024));
          return near(value(i), 0.5 * (u + v));
        });
      });
  {
    const cudaTextureObject_t texture = table_of(in, table);
    run(
        "table by texture fetches", 8.0 * static_cast<double>(n / 4),
        [&] { fetch_table<<<blocks(n / 4), 256>>>(texture, words, out, n / 4, table); },
        [&] {
          return each(n / 4,
                      [&](std::size_t i) { return near(value(i), float_of(place_of(word_of(i), table))); });
        });
  }
  const auto end_of_chain = [](unsigned at, unsigned size, int steps) {
    for (int k = 0; k < steps; ++k) at = place_of(word_of(at), size);
    return at;
  };
  run(
      "links in L2, 64 threads an SM", 4.0 * 64 * sms * 64,
      [&] { follow_links<<<sms, 64>>>(words, numbers, table, 64); },
      [&] {
        return each(std::size_t{64} * sms, [&](std::size_t i) {
          return number(i) == end_of_chain(place_of(word_of(i), table), table, 64);
        });
      });

  // --- constants and textures ---
  float4 colour[256];
  for (unsigned k = 0; k < 256; ++k)
    colour[k] = make_float4(float_of(k), float_of(k + 256), float_of(k + 512), 1);
  float tap[32];
  for (unsigned k = 0; k < 32; ++k) tap[k] = half_of(k);
  cudaMemcpyToSymbol(colours, colour, sizeof colour);
  cudaMemcpyToSymbol(taps, tap, sizeof tap);
  run(
      "pixels coloured by constants", 1.0625 * one,
      [&] { colour_pixels<<<blocks(n / 4), 256>>>(smooth, vectors, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) { return near(value(4 * i + 1), colour[smooth_of(i)].y); });
      });
  run(
      "filter of 32 taps", two, [&] { filter_taps<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n - 32, [&](std::size_t i) {
          double sum = 0;
          for (unsigned k = 0; k < 32; ++k) sum += double{tap[k]} * float_of(i + k);
          return near(value(i), sum);
        });
      });
  {
    const cudaTextureObject_t image =
        image_of(words, cudaCreateChannelDesc<uchar4>(), width, height, 16384, true, true);
    run(
        "image of bytes halved", 1.25 * one / 4 * 4,
        [&] {
          halve_image<<<dim3(2048 / 32, (height / 2 + 7) / 8), dim3(32, 8)>>>(image, vectors, 2048,
                                                                              height / 2);
        },
        [&] {
          return each(std::size_t{2048} * (height / 2) - 2048, [&](std::size_t i) {
            const std::size_t p = i / 2048 * 2 * width + i % 2048 * 2;
            const auto of = [&](std::size_t at) { return (word_of(at) & 255) / 255.0; };
            const double u = 0.25 * of(p) + 0.75 * of(p + 1),
                         v = 0.25 * of(p + width) + 0.75 * of(p + width + 1);
            return std::abs(value(4 * i) - (0.25 * u + 0.75 * v)) < 0.01;
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(in, cudaCreateChannelDesc<float4>(), 1024, high, 16384, false, false);
    run(
        "image of vectors turned", two,
        [&] {
          turn_image<<<dim3(static_cast<unsigned>(high + 15) / 16, 64), dim3(16, 16)>>>(image, vectors, high,
                                                                                        1024);
        },
        [&] {
          return each(std::size_t(high) * 1024, [&](std::size_t i) {
            return near(value(4 * i + 2), float_of((i % high * 1024 + i / high) * 4 + 2));
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(other, cudaCreateChannelDesc<float2>(), 2048, high, 16384, true, false);
    run(
        "image of pairs enlarged", one,
        [&] {
          enlarge_image<<<dim3(64, static_cast<unsigned>(high + 7) / 8), dim3(32, 8)>>>(
              image, reinterpret_cast<float2*>(out), 2048, high);
        },
        [&] {
          return each(std::size_t{2048} * high, [&](std::size_t i) {
            const std::size_t x = i % 2048, y = i / 2048, p = (y / 4 * 2048 + x / 4) * 2;
            const double fx = x % 4 * 0.25 + 0.125, fy = y % 4 * 0.25 + 0.125;
            const double u = other_of(p) + fx * (other_of(p + 2) - other_of(p)),
                         v = other_of(p + 4096) + fx * (other_of(p + 4098) - other_of(p + 4096));
            return near(value(2 * i), u + fy * (v - u), 0.01);
          });
        });
  }
  {
    const int high = static_cast<int>(n / 4096);
    const cudaTextureObject_t image =
        image_of(words, cudaCreateChannelDesc<short>(), 8192, high, 16384, false, false);
    run(
        "nine of an image of shorts", 1.5 * two,
        [&] {
          sum_of_nine<<<dim3(4096 / 32, static_cast<unsigned>(high + 7) / 8), dim3(32, 8)>>>(
              image, reinterpret_cast<int*>(out), 4096, high);
        },
        [&] {
          const std::size_t x = 1001, y = 7;
          int sum = 0;
          for (std::size_t v = y - 1; v <= y + 1; ++v)
            for (std::size_t u = x - 1; u <= x + 1; ++u)
              sum += static_cast<short>(word_of((v * 8192 + u) / 2) >> (16 * (u % 2)));
          return static_cast<int>(number(y * 4096 + x)) == sum;
        });
  }

  // --- asynchronous copies ---
  run(
      "ring of four stages", two,
      [&] { ring_of_four<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), vectors, n / 4); },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          return near(value(4 * i), double{float_of(4 * i)} * float_of(4 * i) + float_of(4 * i + 1)) &&
                 near(value(4 * i + 3), float_of(4 * i + 3));
        });
      });
  run(
      "nine of a line, copied by words", two, [&] { nine_of_a_line<<<blocks(n), 256>>>(in, out, n); },
      [&] {
        return each(n - 8, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 9; ++k) sum += float_of(i + k);
          return near(value(i), sum);
        });
      });
  run(
      "ring of bulk copies", two, [&] { ring_of_bulk_copies<<<sms * 4, 128>>>(in, out, n / 1024); },
      [&] { return each(n, [&](std::size_t i) { return near(value(i), 2.0 * float_of(i) + 1); }); });
  run(
      "stored in bulk", two,
      [&] { store_in_bulk<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), vectors, n / 512); },
      [&] {
        return each(n / 4, [&](std::size_t i) { return near(value(4 * i + 1), float_of(4 * i + 1) + 2.0); });
      });

  // --- clusters ---
  run(
      "counters of clusters", one / 4,
      [&] { count_in_clusters<<<sms * 8 / 4 * 4, 256>>>(words, numbers, n / 4); },
      [&] {
        unsigned long long sum = 0;
        for (std::size_t b = 0; b < 4096; ++b) sum += number(b);
        return sum == n / 4;
      });
  run(
      "shares of rows by clusters", two,
      [&] { shares_of_rows<<<static_cast<unsigned>(n / 8192 * 2), 512>>>(in, out); },
      [&] {
        return each(n, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = i / 8192 * 8192; k < i / 8192 * 8192 + 8192; ++k) sum += float_of(k);
          return near(value(i), float_of(i) / sum);
        });
      });

  // --- tails, few warps: what they move does not matter, how long they last does ---
  run(
      "two waves and a half of chains", 8.0 * 256 * sms * 20,
      [&] { long_chains<<<sms * 20, 256>>>(in, out, 2048); },
      [&] { return each(std::size_t{256} * sms * 20, [&](std::size_t i) { return near(value(i), 0.5); }); });
  run(
      "medians, one block an SM", 4.0 * 16384 * sms, [&] { medians<<<sms, 1024>>>(words, numbers, n); },
      [&] {
        const unsigned got = number(0);
        std::size_t below = 0, above = 0;
        for (std::size_t i = 0; i < 16384; ++i) below += word_of(i) < got, above += word_of(i) < got + 256;
        return below <= 8192 && above > 8192;
      });
  run(
      "machines in half of shared memory", 4.0 * 128 * sms * 4 * 512,
      [&] {
        cudaFuncSetAttribute(run_machines, cudaFuncAttributeMaxDynamicSharedMemorySize, 24576 * 4);
        run_machines<<<sms * 4, 128, 24576 * 4>>>(words, numbers, 512);
      },
      [&] {
        return each(std::size_t{128} * sms * 4, [&](std::size_t i) {
          return number(i) == end_of_chain(static_cast<unsigned>(i % 128) * 190, 24576, 512);
        });
      });
  run(
      "machines in half of shared memory, one block an SM", 4.0 * 128 * sms * 4096,
      [&] {
        cudaFuncSetAttribute(run_machines, cudaFuncAttributeMaxDynamicSharedMemorySize, 24576 * 4);
        run_machines<<<sms, 128, 24576 * 4>>>(words, numbers, 4096);
      },
      [&] { return number(5) == end_of_chain(5 * 190, 24576, 4096); });

  // --- stencils, bodies, clusters of points ---
  run(
      "wave", 3 * one,
      [&] { wave<<<dim3(width / 64, (height + 3) / 4), dim3(64, 4)>>>(in, other, out, width, height); },
      [&] {
        const std::size_t x = 2001, y = 9, at = y * width + x;
        const double w[5] = {-2.847222, 1.6, -0.2, 0.02539683, -0.001785714};
        double laplace = 2 * w[0] * float_of(at);
        for (std::size_t k = 1; k <= 4; ++k)
          laplace += w[k] * (double{float_of(at - k)} + float_of(at + k) + float_of(at - k * width) +
                             float_of(at + k * width));
        return near(value(at), 2.0 * float_of(at) - other_of(at) + 0.1 * laplace, 0.01);
      });
  {
    const int nx = 256, ny = 128, nz = static_cast<int>(n / (256 * 128));
    run(
        "steepness of a volume", two,
        [&] {
          steepness<<<dim3(8, 32, static_cast<unsigned>(nz + 1) / 2), dim3(32, 4, 2)>>>(in, out, nx, ny, nz);
        },
        [&] {
          const std::size_t plane = 256 * 128, at = plane + 33 * 256 + 99;
          const double dx = float_of(at + 1) - float_of(at - 1), dy = float_of(at + 256) - float_of(at - 256),
                       dz = float_of(at + plane) - float_of(at - plane);
          return near(value(at), std::sqrt(dx * dx + dy * dy + dz * dz));
        });
  }
  run(
      "forces by shuffles", 16.0 * 128 * sms * 8,
      [&] { forces_by_shuffles<<<sms * 8, 128>>>(reinterpret_cast<float4*>(in), out, 1024); },
      [&] {
        return each(std::size_t{128} * sms * 8, [&](std::size_t i) {
          double sum = 0;
          for (std::size_t k = 0; k < 1024; ++k) {
            const double dx = float_of(4 * k) - float_of(4 * i),
                         dy = float_of(4 * k + 1) - float_of(4 * i + 1),
                         dz = float_of(4 * k + 2) - float_of(4 * i + 2),
                         r2 = dx * dx + dy * dy + dz * dz + 0.25;
            sum += (dx + dy + dz) / (r2 * std::sqrt(r2));
          }
          return std::abs(value(i) - sum) < 0.02 * std::abs(sum) + 0.1;
        });
      });
  run(
      "nearest of 16 centres", 1.25 * one,
      [&] {
        nearest_centre<<<blocks(n / 4), 256>>>(reinterpret_cast<float4*>(in),
                                               reinterpret_cast<float4*>(other), numbers, n / 4);
      },
      [&] {
        return each(n / 4, [&](std::size_t i) {
          double least = 1e30, got = 0;
          for (std::size_t k = 0; k < 16; ++k) {
            double d = 0;
            for (std::size_t c = 0; c < 4; ++c)
              d += std::pow(double{float_of(4 * i + c)} - other_of(4 * k + c), 2);
            if (d < least) least = d;
            if (k == number(i)) got = d;
          }
          return near(got, least);
        });
      });
  return bench.wrong() == 0 ? 0 : 1;
}

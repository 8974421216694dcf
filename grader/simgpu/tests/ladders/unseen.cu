/// @file
/// Kernels that are measured on a card once, after the model was frozen, and then never looked at again: what the model is worth
/// where nothing was fitted (timing/calibration.md says when, and at which commit).
#include <cuda_pipeline.h>

#include "data.hpp"
#include "ladder.hpp"

namespace {

using ladder::global_index, ladder::scrambled, ladder::stride;

__global__ void fill_words(unsigned* out, std::size_t n, unsigned mask) {
  for (std::size_t i = global_index(); i < n; i += stride())
    out[i] = scrambled(static_cast<unsigned>(i)) & mask;
}
__global__ void fill_floats(float* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride())
    out[i] = static_cast<float>(scrambled(static_cast<unsigned>(i)) & 0xffff) * 1e-4f + 0.5f;
}

// --- constants ---

__constant__ float weights[64];
__constant__ float4 planes[32];

__global__ void constant_by_data(const unsigned* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = weights[in[i] & 63];
}
__global__ void constant_by_half_warp(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned half = threadIdx.x >> 4 & 1;
  float v = in[i];
#pragma unroll
  for (int k = 0; k < 8; ++k) v = v * weights[2 * k + half] + weights[32 + 2 * k + half];
  out[i] = v;
}
__global__ void plane_distances(const float4* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float4 p = in[i];
  float least = 1e30f;
#pragma unroll
  for (int k = 0; k < 32; ++k)
    least = fminf(least, p.x * planes[k].x + p.y * planes[k].y + p.z * planes[k].z + planes[k].w);
  out[i] = least;
}

// --- atomics ---

template <typename T>
__global__ void count_globally(const unsigned* in, T* bins, std::size_t n, unsigned mask) {
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&bins[in[i] & mask], T(1));
}
__global__ void greatest(const unsigned* in, unsigned* out, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) atomicMax(&out[i & 63], in[i]);
}
__global__ void tickets(const unsigned* in, unsigned* next, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = atomicAdd(&next[in[i] & 4095], 1u);
}
__global__ void count_in_blocks(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned mine[1024];
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += stride()) atomicAdd(&mine[in[i] & 1023], 1u);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 1024; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}
__global__ void count_by_warps(const uint4* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned mine[8][64];
  for (unsigned b = threadIdx.x; b < 512; b += blockDim.x) mine[b / 64][b % 64] = 0;
  __syncthreads();
  unsigned* own = mine[threadIdx.x / 32];
  for (std::size_t i = global_index(); i < n; i += stride()) {
    const uint4 v = in[i];
    atomicAdd(&own[v.x & 63], 1u);
    atomicAdd(&own[v.y & 63], 1u);
    atomicAdd(&own[v.z & 63], 1u);
    atomicAdd(&own[v.w & 63], 1u);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 64; b += blockDim.x) {
    unsigned sum = 0;
    for (int w = 0; w < 8; ++w) sum += mine[w][b];
    atomicAdd(&bins[b], sum);
  }
}

// --- local arrays ---

__global__ void table_of_thread(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  float table[16];
  const float v = in[i];
#pragma unroll
  for (int k = 0; k < 16; ++k) table[k] = v * static_cast<float>(k);
  unsigned at = __float_as_uint(v) >> 9;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < 6; ++k) {
    sum += table[at & 15];
    at = at * 5 + 3;
  }
  out[i] = sum;
}

// --- indices ---

__global__ void scatter_words(const unsigned* index, float* out, std::size_t n, unsigned mask) {
  const std::size_t i = global_index();
  if (i < n) out[index[i] & mask] = static_cast<float>(i);
}
__global__ void scatter_vectors(const unsigned* index, float4* out, std::size_t n, unsigned mask) {
  const std::size_t i = global_index();
  if (i < n) out[index[i] & mask] = make_float4(1, 2, 3, static_cast<float>(i));
}
__global__ void gather_rows(const unsigned* index, const float* in, float* out, std::size_t rows,
                            unsigned mask) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  const std::size_t from = std::size_t{index[row] & mask} * 32;
  out[row * 32 + threadIdx.x % 32] = in[from + threadIdx.x % 32];
}
__global__ void gather_of_l2(const unsigned* index, const float* in, float* out, std::size_t n,
                             unsigned mask) {
  const std::size_t i = global_index();
  if (i < n) out[i] = in[index[i] & mask];
}
__global__ void sparse_by_warps(const unsigned* column, const float* value, const float* x, float* y,
                                std::size_t rows, int each, unsigned mask) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = threadIdx.x % 32; k < each; k += 32) {
    const std::size_t at = row * each + k;
    sum += value[at] * x[column[at] & mask];
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}
__global__ void chase_lists(const unsigned* next, unsigned* out, std::size_t n, unsigned mask, int steps) {
  const std::size_t i = global_index();
  if (i >= n) return;
  unsigned at = static_cast<unsigned>(i) * 2654435761u & mask;
#pragma unroll 1
  for (int k = 0; k < steps; ++k) at = next[at] & mask;
  out[i] = at;
}
__global__ void search_sorted(const unsigned* keys, const unsigned* wanted, unsigned* out, std::size_t n,
                              int bits) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned v = wanted[i];
  unsigned low = 0;
#pragma unroll 1
  for (int b = bits - 1; b >= 0; --b)
    if (keys[low + (1u << b)] <= v) low += 1u << b;
  out[i] = low;
}

// --- structs ---

struct Particle {
  float x, y, z, vx, vy, vz;
};
struct alignas(16) Cell {
  float v[12];
};

__global__ void move_particles(Particle* all, std::size_t n, float dt) {
  const std::size_t i = global_index();
  if (i >= n) return;
  Particle p = all[i];
  p.x += dt * p.vx, p.y += dt * p.vy, p.z += dt * p.vz;
  p.vx *= 0.99f, p.vy *= 0.99f, p.vz *= 0.99f;
  all[i] = p;
}
__global__ void relax_cells(const Cell* in, Cell* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  Cell c = in[i];
  float mean = 0;
#pragma unroll
  for (int k = 0; k < 12; ++k) mean += c.v[k];
  mean /= 12;
#pragma unroll
  for (int k = 0; k < 12; ++k) c.v[k] += 0.3f * (mean - c.v[k]);
  out[i] = c;
}

// --- streams ---

__global__ void triad_doubles(const double* a, const double* b, double* c, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += stride()) c[i] = a[i] + 3.0 * b[i];
}
__global__ void copy_halves(const unsigned short* in, unsigned short* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = in[i];
}
__global__ void add_four_streams(const float4* a, const float4* b, const float4* c, float4* d,
                                 std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float4 x = a[i], y = b[i], z = c[i];
  d[i] = make_float4(x.x + y.x * z.x, x.y + y.y * z.y, x.z + y.z * z.z, x.w + y.w * z.w);
}
__global__ void max_of_rows(const float4* in, float* out, int width) {
  __shared__ float parts[4];
  const float4* row = in + blockIdx.x * std::size_t(width);
  float m = -1e30f;
  for (int c = threadIdx.x; c < width; c += 128) {
    const float4 v = row[c];
    m = fmaxf(m, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
}
__global__ void normalise_rows(const float* in, float* out, int width) {
  __shared__ float parts[2][8];
  const float* row = in + blockIdx.x * std::size_t(width);
  float sum = 0, squares = 0;
  for (int c = threadIdx.x; c < width; c += 256) {
    const float v = row[c];
    sum += v, squares += v * v;
  }
  for (int d = 16; d > 0; d /= 2) {
    sum += __shfl_xor_sync(~0u, sum, d);
    squares += __shfl_xor_sync(~0u, squares, d);
  }
  if (threadIdx.x % 32 == 0) parts[0][threadIdx.x / 32] = sum, parts[1][threadIdx.x / 32] = squares;
  __syncthreads();
  sum = squares = 0;
  for (int w = 0; w < 8; ++w) sum += parts[0][w], squares += parts[1][w];
  const float mean = sum / width, scale = rsqrtf(squares / width - mean * mean + 1e-5f);
  for (int c = threadIdx.x; c < width; c += 256)
    out[blockIdx.x * std::size_t(width) + c] = (row[c] - mean) * scale;
}
__global__ void copy_through_stages(const float4* in, float4* out, std::size_t n) {
  __shared__ alignas(16) float4 stage[2][256];
  std::size_t i = global_index();
  int at = 0;
  if (i < n) __pipeline_memcpy_async(&stage[0][threadIdx.x], &in[i], 16);
  __pipeline_commit();
  for (; i < n; i += stride(), at ^= 1) {
    const std::size_t next = i + stride();
    if (next < n) __pipeline_memcpy_async(&stage[at ^ 1][threadIdx.x], &in[next], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    float4 v = stage[at][threadIdx.x];
    v.x += 1;
    out[i] = v;
  }
}

// --- arithmetic ---

__global__ void iterate_map(const float* in, float* out, std::size_t n, int rounds) {
  const std::size_t i = global_index();
  if (i >= n) return;
  float v = in[i] * 0.1f, w = v + 0.3f;
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) {
    v = v * (1.0f - v) * 3.7f;
    w = w * 0.9f + v;
  }
  out[i] = v + w;
}
__global__ void iterate_doubles(const double* in, double* out, std::size_t n, int rounds) {
  const std::size_t i = global_index();
  if (i >= n) return;
  double v = in[i];
#pragma unroll 8
  for (int k = 0; k < rounds; ++k) v = v * 0.999 + 0.5;
  out[i] = v;
}
__global__ void random_steps(const unsigned* in, unsigned* out, std::size_t n, int rounds) {
  const std::size_t i = global_index();
  if (i >= n) return;
  unsigned x = in[i] | 1;
#pragma unroll 4
  for (int k = 0; k < rounds; ++k) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
  }
  out[i] = x;
}
__global__ void escape_times(unsigned* out, int width, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float cx = static_cast<float>(i % width) / width * 3 - 2,
              cy = static_cast<float>(i / width) / width * 2 - 1;
  float x = 0, y = 0;
  int k = 0;
  for (; k < 64 && x * x + y * y < 4; ++k) {
    const float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
  }
  out[i] = k;
}
__global__ void option_prices(const float* price, const float* strike, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float s = price[i], x = strike[i], root = 0.7f, r = 0.02f, v = 0.3f;
  const float d1 = (__logf(__fdividef(s, x)) + (r + 0.5f * v * v) * 0.5f) / (v * root), d2 = d1 - v * root;
  const auto normal = [](float d) {
    const float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
    const float p = 0.39894228f * __expf(-0.5f * d * d) *
                    (k * (0.31938153f +
                          k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - p : p;
  };
  out[i] = s * normal(d1) - x * __expf(-r * 0.5f) * normal(d2);
}
__global__ void quotients(const unsigned* a, unsigned* out, std::size_t n, unsigned by) {
  const std::size_t i = global_index();
  if (i >= n) return;
  unsigned v = a[i], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    sum += v / (by + k);
    v = v * 3 + k;
  }
  out[i] = sum;
}

// --- blocks that meet often ---

__global__ void sort_blocks(const unsigned* in, unsigned* out) {
  __shared__ unsigned keys[512];
  const std::size_t base = blockIdx.x * std::size_t{512};
  keys[threadIdx.x] = in[base + threadIdx.x];
  keys[threadIdx.x + 256] = in[base + threadIdx.x + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      const unsigned a = 2 * threadIdx.x - (threadIdx.x & (d - 1)), b = a + d;
      const bool up = (a & size) == 0;
      const unsigned u = keys[a], v = keys[b];
      if ((u > v) == up) keys[a] = v, keys[b] = u;
    }
  __syncthreads();
  out[base + threadIdx.x] = keys[threadIdx.x];
  out[base + threadIdx.x + 256] = keys[threadIdx.x + 256];
}
__global__ void scan_by_tree(const float* in, float* out) {
  __shared__ float t[1024];
  const std::size_t base = blockIdx.x * std::size_t{1024};
  t[threadIdx.x] = in[base + threadIdx.x];
  t[threadIdx.x + 512] = in[base + threadIdx.x + 512];
  unsigned offset = 1;
  for (unsigned d = 512; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) t[offset * (2 * threadIdx.x + 2) - 1] += t[offset * (2 * threadIdx.x + 1) - 1];
    offset *= 2;
  }
  if (threadIdx.x == 0) t[1023] = 0;
  for (unsigned d = 1; d < 1024; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (threadIdx.x < d) {
      const unsigned a = offset * (2 * threadIdx.x + 1) - 1, b = offset * (2 * threadIdx.x + 2) - 1;
      const float v = t[a];
      t[a] = t[b];
      t[b] += v;
    }
  }
  __syncthreads();
  out[base + threadIdx.x] = t[threadIdx.x];
  out[base + threadIdx.x + 512] = t[threadIdx.x + 512];
}
__global__ void scan_by_warps(const float* in, float* out) {
  __shared__ float totals[32];
  const std::size_t i = global_index();
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    const float left = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += left;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0) {
    float s = totals[lane];
    for (int d = 1; d < 32; d *= 2) {
      const float left = __shfl_up_sync(~0u, s, d);
      if (lane >= d) s += left;
    }
    totals[lane] = s;
  }
  __syncthreads();
  out[i] = v + (warp > 0 ? totals[warp - 1] : 0);
}
__global__ void forces(const float4* bodies, float4* out, int n) {
  __shared__ float4 tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  const float4 me = bodies[i];
  float ax = 0, ay = 0, az = 0;
  for (int t = 0; t < n; t += 128) {
    tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < 128; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      const float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[k].w * r * r * r;
      ax += f * dx, ay += f * dy, az += f * dz;
    }
    __syncthreads();
  }
  out[i] = make_float4(ax, ay, az, 0);
}

// --- images and volumes ---

__global__ void jacobi(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const std::size_t at = std::size_t(y) * width + x;
  out[at] = 0.25f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
}
__global__ void jacobi_tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[18][34];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, tx = threadIdx.x + 1,
            ty = threadIdx.y + 1;
  const int cx = min(x, width - 1), cy = min(y, height - 1);
  tile[ty][tx] = in[std::size_t(cy) * width + cx];
  if (threadIdx.x == 0) tile[ty][0] = in[std::size_t(cy) * width + max(cx - 1, 0)];
  if (threadIdx.x == 31) tile[ty][33] = in[std::size_t(cy) * width + min(cx + 1, width - 1)];
  if (threadIdx.y == 0) tile[0][tx] = in[std::size_t(max(cy - 1, 0)) * width + cx];
  if (threadIdx.y == 15) tile[17][tx] = in[std::size_t(min(cy + 1, height - 1)) * width + cx];
  __syncthreads();
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] =
      0.25f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
__global__ void window_of_line(const float* in, float* out, std::size_t n) {
  __shared__ float line[512 + 24];
  const std::size_t first = blockIdx.x * std::size_t{512};
  for (unsigned k = threadIdx.x; k < 512 + 24; k += 256) {
    const std::size_t at = first + k;
    line[k] = at < n ? in[at] : 0.0f;
  }
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 512; k += 256) {
    float sum = 0;
#pragma unroll
    for (int d = 0; d <= 24; ++d) sum += line[k + d];
    if (first + k < n) out[first + k] = sum;
  }
}
__global__ void median_of_three_rows(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y + 1;
  if (x >= width || y >= height - 1) return;
  const std::size_t at = std::size_t(y) * width + x;
  const float a = in[at - width], b = in[at], c = in[at + width];
  out[at] = fmaxf(fminf(a, b), fminf(fmaxf(a, b), c));
}
__global__ void box_of_27(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 32 + threadIdx.x + 1, y = blockIdx.y * 4 + threadIdx.y + 1, z = blockIdx.z + 1;
  if (x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const std::size_t plane = std::size_t(nx) * ny, at = z * plane + std::size_t(y) * nx + x;
  float sum = 0;
#pragma unroll
  for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
    for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
      for (int dx = -1; dx <= 1; ++dx) sum += in[at + dz * static_cast<long>(plane) + dy * nx + dx];
  out[at] = sum * (1.0f / 27);
}
__global__ void transpose_16(const float* in, float* out, int width, int height) {
  __shared__ float tile[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[std::size_t(y) * width + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
  out[std::size_t(y) * height + x] = tile[threadIdx.x][threadIdx.y];
}
template <typename T>
__global__ void sample(cudaTextureObject_t image, T* out, int width, int height, float c, float s) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  out[std::size_t(y) * width + x] = tex2D<T>(image, c * x - s * y + 0.5f, s * x + c * y + 0.5f);
}

// --- matrices ---

__global__ void product_by_rows(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[std::size_t(y) * n + k] * b[std::size_t(k) * n + x];
  c[std::size_t(y) * n + x] = sum;
}
__global__ void product_24(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][33], bs[8][32];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  float sum[4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int r = 0; r < 4; ++r)
      if (tx < 8) as[tx][ty + 8 * r] = a[std::size_t(y + 8 * r) * n + k0 + tx];
    bs[ty][tx] = b[std::size_t(k0 + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      const float v = bs[k][tx];
#pragma unroll
      for (int r = 0; r < 4; ++r) sum[r] += as[k][ty + 8 * r] * v;
    }
    __syncthreads();
  }
  for (int r = 0; r < 4; ++r) c[std::size_t(y + 8 * r) * n + x] = sum[r];
}
__global__ void product_in_registers(const float* a, const float* b, float* c, int n) {
  __shared__ alignas(16) float as[8][64], bs[8][64];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16, x0 = blockIdx.x * 64, y0 = blockIdx.y * 64;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
    for (int e = t; e < 512; e += 256) {
      as[e % 8][e / 8] = a[std::size_t(y0 + e / 8) * n + k0 + e % 8];
      bs[e / 64][e % 64] = b[std::size_t(k0 + e / 64) * n + x0 + e % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float u[4], v[4];
#pragma unroll
      for (int r = 0; r < 4; ++r) u[r] = as[k][ty * 4 + r], v[r] = bs[k][tx * 4 + r];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += u[i] * v[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) c[std::size_t(y0 + ty * 4 + i) * n + x0 + tx * 4 + j] = sum[i][j];
}
__global__ void matrix_by_vector(const float4* a, const float4* x, float* y, int width) {
  const std::size_t row = global_index() / 32;
  const float4* line = a + row * width;
  float sum = 0;
  for (int c = threadIdx.x % 32; c < width; c += 32) {
    const float4 u = line[c], v = x[c];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) y[row] = sum;
}

cudaTextureObject_t image_of(const float* data, int width, int height, bool linear) {
  cudaResourceDesc what{};
  what.resType = cudaResourceTypePitch2D;
  what.res.pitch2D.devPtr = const_cast<float*>(data);
  what.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  what.res.pitch2D.width = static_cast<std::size_t>(width);
  what.res.pitch2D.height = static_cast<std::size_t>(height);
  what.res.pitch2D.pitchInBytes = static_cast<std::size_t>(width) * 4;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
  cudaTextureObject_t image = 0;
  ladder::check(cudaCreateTextureObject(&image, &what, &how, nullptr), "cudaCreateTextureObject");
  return image;
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const std::size_t bytes = bench.array_bytes, n = bytes / 4;
  auto* in = bench.array<float>(bytes);
  auto* out = bench.array<float>(bytes);
  auto* third = bench.array<float>(bytes);
  auto* words = reinterpret_cast<unsigned*>(in);
  auto* results = reinterpret_cast<unsigned*>(out);
  auto* others = reinterpret_cast<unsigned*>(third);
  const auto blocks = [](std::size_t threads, unsigned of = 256) {
    return static_cast<unsigned>((threads + of - 1) / of);
  };
  const double one = static_cast<double>(bytes), two = 2 * one;
  const unsigned sms = static_cast<unsigned>(bench.sms), resident = sms * 8;
  // Tables that lie in L2 on both, and are far larger than the L1, of which a slice has as much as the card.
  unsigned bits = 0;
  while (std::size_t{2} << bits <= n) ++bits;
  const unsigned all = (1u << bits) - 1, table = bench.simulated ? (1u << 19) - 1 : (1u << (bits - 7)) - 1;
  fill_words<<<resident, 256>>>(words, n, ~0u);
  fill_words<<<resident, 256>>>(others, n, ~0u);

  bench.run("constants by data", two, [&] { constant_by_data<<<blocks(n), 256>>>(words, out, n); });
  bench.run("atomics, 1024 counters", one / 16,
            [&] { count_globally<<<resident, 256>>>(words, results, n / 16, 1023u); });
  bench.run("atomics, 1024 floats", one / 16,
            [&] { count_globally<<<resident, 256>>>(words, out, n / 16, 1023u); });
  bench.run("atomics, counters all over", one / 16,
            [&] { count_globally<<<resident, 256>>>(words, results, n / 16, all); });
  bench.run("atomics, greatest of 64", one / 64,
            [&] { greatest<<<resident, 256>>>(words, results, n / 64); });
  bench.run("atomics, tickets", one / 16,
            [&] { tickets<<<blocks(n / 16), 256>>>(words, others, results, n / 16); });
  bench.run("counters of blocks", one, [&] { count_in_blocks<<<resident, 256>>>(words, results, n); });
  bench.run("counters of warps", one,
            [&] { count_by_warps<<<resident, 256>>>(reinterpret_cast<uint4*>(in), results, n / 4); });
  bench.run("scattered words", 8.0 * static_cast<double>(n / 8),
            [&] { scatter_words<<<blocks(n / 8), 256>>>(others, out, n / 8, all); });
  bench.run("scattered vectors", 20.0 * static_cast<double>(n / 16), [&] {
    scatter_vectors<<<blocks(n / 16), 256>>>(others, reinterpret_cast<float4*>(out), n / 16, all >> 2);
  });
  bench.run("gathered rows", two,
            [&] { gather_rows<<<blocks(n), 256>>>(others, in, out, n / 32, all >> 5); });
  bench.run("gather in L2", 12.0 * static_cast<double>(n / 4),
            [&] { gather_of_l2<<<blocks(n / 4), 256>>>(others, in, out, n / 4, table); });
  bench.run("lists", 4.0 * 16 * static_cast<double>(n / 64),
            [&] { chase_lists<<<blocks(n / 64), 256>>>(words, results, n / 64, all, 16); });
  bench.run("search", 8.0 * static_cast<double>(n / 16), [&] {
    search_sorted<<<blocks(n / 16), 256>>>(words, others, results, n / 16, static_cast<int>(bits) - 4);
  });
  bench.run("random steps", two, [&] { random_steps<<<blocks(n), 256>>>(words, results, n, 40); });
  bench.run("quotients", two, [&] { quotients<<<blocks(n), 256>>>(words, results, n, 7); });
  bench.run("sorted blocks", two,
            [&] { sort_blocks<<<static_cast<unsigned>(n / 512), 256>>>(words, results); });
  bench.run("halves", two / 2, [&] {
    copy_halves<<<blocks(n), 256>>>(reinterpret_cast<unsigned short*>(in),
                                    reinterpret_cast<unsigned short*>(out), n);
  });

  fill_floats<<<resident, 256>>>(in, n);
  bench.run("sparse rows by warps", 8.0 * static_cast<double>(n / 48 * 48),
            [&] { sparse_by_warps<<<blocks(n / 48 * 32), 256>>>(others, in, in, out, n / 48, 48, table); });
  fill_floats<<<resident, 256>>>(third, n);
  bench.run("constants by half warp", two, [&] { constant_by_half_warp<<<blocks(n), 256>>>(in, out, n); });
  bench.run("planes", 1.25 * one,
            [&] { plane_distances<<<blocks(n / 4), 256>>>(reinterpret_cast<float4*>(in), out, n / 4); });
  bench.run("table of a thread", two, [&] { table_of_thread<<<blocks(n), 256>>>(in, out, n); });
  bench.run("particles", two,
            [&] { move_particles<<<blocks(n / 6), 256>>>(reinterpret_cast<Particle*>(in), n / 6, 0.01f); });
  bench.run("cells", two, [&] {
    relax_cells<<<blocks(n / 12), 256>>>(reinterpret_cast<const Cell*>(in), reinterpret_cast<Cell*>(out),
                                         n / 12);
  });
  bench.run("triad of doubles", 3 * one, [&] {
    triad_doubles<<<sms * 4, 512>>>(reinterpret_cast<double*>(in), reinterpret_cast<double*>(third),
                                    reinterpret_cast<double*>(out), n / 2);
  });
  bench.run("four streams", 4 * one / 3, [&] {
    auto* v = reinterpret_cast<float4*>(in);
    const std::size_t m = n / 12;
    add_four_streams<<<blocks(m), 256>>>(v, v + m, v + 2 * m, reinterpret_cast<float4*>(out), m);
  });
  bench.run("greatest of rows", one, [&] {
    max_of_rows<<<static_cast<unsigned>(n / 2048), 128>>>(reinterpret_cast<float4*>(in), out, 512);
  });
  bench.run("rows normalised", two,
            [&] { normalise_rows<<<static_cast<unsigned>(n / 768), 256>>>(in, out, 768); });
  bench.run("copy through stages", two, [&] {
    copy_through_stages<<<sms * 6, 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out),
                                          n / 4);
  });
  bench.run("copy through stages, one block an SM", two, [&] {
    copy_through_stages<<<sms, 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out), n / 4);
  });
  bench.run("map", two, [&] { iterate_map<<<blocks(n), 256>>>(in, out, n, 48); });
  bench.run("map of doubles", two, [&] {
    iterate_doubles<<<blocks(n / 2), 256>>>(reinterpret_cast<double*>(in), reinterpret_cast<double*>(out),
                                            n / 2, 48);
  });
  bench.run("escape", one / 4, [&] { escape_times<<<blocks(n / 4), 256>>>(results, 4096, n / 4); });
  bench.run("options", 3 * one, [&] { option_prices<<<blocks(n), 256>>>(in, third, out, n); });
  bench.run("scan by a tree", two, [&] { scan_by_tree<<<static_cast<unsigned>(n / 1024), 512>>>(in, out); });
  bench.run("scan by warps", two, [&] { scan_by_warps<<<static_cast<unsigned>(n / 1024), 1024>>>(in, out); });
  bench.run("forces", 32.0 * 128 * sms * 4, [&] {
    forces<<<sms * 4, 128>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out), 4096);
  });
  {
    const int width = 4096, height = static_cast<int>(n / width) / 16 * 16;
    bench.run("jacobi", two,
              [&] { jacobi<<<dim3(width / 32, (height + 7) / 8), dim3(32, 8)>>>(in, out, width, height); });
    bench.run("jacobi, tiled", two, [&] {
      jacobi_tiled<<<dim3(width / 32, (height + 15) / 16), dim3(32, 16)>>>(in, out, width, height);
    });
    bench.run("median of rows", two,
              [&] { median_of_three_rows<<<dim3(width / 128, height - 2), 128>>>(in, out, width, height); });
    bench.run("transpose 16", two,
              [&] { transpose_16<<<dim3(width / 16, height / 16), dim3(16, 16)>>>(in, out, width, height); });
    if (bench.wants_any_of("image")) {
      const cudaTextureObject_t linear = image_of(in, width, height, true),
                                points = image_of(in, width, height, false);
      const dim3 grid(width / 32, (height + 7) / 8), block(32, 8);
      bench.run("image, linear", two,
                [&] { sample<float><<<grid, block>>>(linear, out, width, height, 1, 0.0f); });
      bench.run("image, linear, turned", two,
                [&] { sample<float><<<grid, block>>>(linear, out, width, height, 0.94f, 0.34f); });
      bench.run("image, points", two,
                [&] { sample<float><<<grid, block>>>(points, out, width, height, 1, 0.0f); });
      cudaDestroyTextureObject(linear), cudaDestroyTextureObject(points);
    }
  }
  bench.run("window of a line", two, [&] { window_of_line<<<blocks(n, 512), 256>>>(in, out, n); });
  {
    const int nx = 258, ny = 130, nz = static_cast<int>(n / (std::size_t{258} * 130));
    bench.run("box of 27", 2.0 * 4 * 256 * 128 * (nz - 2), [&] {
      box_of_27<<<dim3(8, 32, static_cast<unsigned>(nz - 2)), dim3(32, 4)>>>(in, out, nx, ny, nz);
    });
  }
  {
    const int size = 512, rows = bench.sms * 64;
    // The second factor is as large on a slice as on the card; its share of the rate is a slice's.
    const double touched = 4.0 * size * (2.0 * rows + size / bench.slice);
    bench.run("product by rows", touched,
              [&] { product_by_rows<<<dim3(size / 32, rows / 8), dim3(32, 8)>>>(in, third, out, size); });
    bench.run("product, four sums", touched,
              [&] { product_24<<<dim3(size / 32, rows / 32), dim3(32, 8)>>>(in, third, out, size); });
    bench.run("product in registers", touched,
              [&] { product_in_registers<<<dim3(size / 64, rows / 64), 256>>>(in, third, out, size); });
    bench.run("matrix by vector", one, [&] {
      matrix_by_vector<<<static_cast<unsigned>(n / 2048 / 8), 256>>>(
          reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(third), out, 512);
    });
  }
  // Small grids: what they move does not matter, how long they last does.
  bench.run("few blocks, rows normalised", 8.0 * 768 * sms,
            [&] { normalise_rows<<<sms, 256>>>(in, out, 768); });
  bench.run("few blocks, sorted", 8.0 * 512 * sms * 2,
            [&] { sort_blocks<<<sms * 2, 256>>>(words, results); });
  bench.run("one wave and a bit, scan by warps", 8.0 * 1024 * sms * 3,
            [&] { scan_by_warps<<<sms * 3, 1024>>>(in, out); });
  return 0;
}

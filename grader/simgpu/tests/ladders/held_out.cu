/// @file
/// Kernels of other kinds than those that the timing model's constants were ever set on. They are for testing it: nothing is
/// fitted to them (timing/calibration.md).
#include "data.hpp"
#include "ladder.hpp"

namespace {

using ladder::global_index;

__device__ __forceinline__ unsigned mixed(unsigned h) {
  h ^= h >> 16;
  h *= 0x7feb352du;
  h ^= h >> 15;
  h *= 0x846ca68bu;
  h ^= h >> 16;
  return h;
}

// --- inputs ---

__global__ void fill_random(unsigned* out, std::size_t n, unsigned below) {
  const std::size_t i = global_index();
  if (i < n)
    out[i] = static_cast<unsigned>(
        (static_cast<unsigned long long>(mixed(static_cast<unsigned>(i))) * below) >> 32);
}

// Numbers below 2^bits, each at most once, in no order.
__global__ void fill_shuffled(unsigned* out, std::size_t n, int bits) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const unsigned below = (1u << bits) - 1;
  unsigned h = static_cast<unsigned>(i);
  for (int round = 0; round < 3; ++round) {
    h = (h * 0x9e3779b1u + 0x7f4a7c15u) & below;
    h ^= h >> (bits / 2);
  }
  out[i] = h;
}

__global__ void fill_rising(unsigned* out, std::size_t n, unsigned step) {
  const std::size_t i = global_index();
  if (i < n) out[i] = static_cast<unsigned>(i) * step + mixed(static_cast<unsigned>(i)) % step;
}

__global__ void fill_bytes(unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = mixed(static_cast<unsigned>(i));
}

// --- vectors ---

template <typename T>
__global__ void copy_type(const T* in, T* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = in[i];
}

__global__ void saxpy(float a, const float* x, float* y, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void saxpy_wide(float a, const float4* x, float4* y, std::size_t n) {
  for (std::size_t i = global_index(); i < n; i += gridDim.x * std::size_t{blockDim.x}) {
    const float4 u = x[i];
    float4 v = y[i];
    v.x += a * u.x;
    v.y += a * u.y;
    v.z += a * u.z;
    v.w += a * u.w;
    y[i] = v;
  }
}

__global__ void daxpy(double a, const double* x, double* y, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) y[i] = a * x[i] + y[i];
}

__global__ void dot(const float* x, const float* y, float* sum, std::size_t n) {
  float mine = 0;
  for (std::size_t i = global_index(); i < n; i += gridDim.x * std::size_t{blockDim.x}) mine += x[i] * y[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  __shared__ float parts[32];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
  }
}

__constant__ float coefficients[16];

__global__ void polynomial(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const float x = in[i];
  float y = coefficients[15];
#pragma unroll
  for (int k = 14; k >= 0; --k) y = y * x + coefficients[k];
  out[i] = y;
}

__global__ void hash_rounds(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  unsigned h = in[i];
#pragma unroll 1
  for (int round = 0; round < 32; ++round) h = mixed(h + round);
  out[i] = h;
}

__global__ void transcendental(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  float v = in[i];
#pragma unroll
  for (int round = 0; round < 8; ++round) v = __sinf(v) + __expf(-v);
  out[i] = v;
}

// --- indices ---

__global__ void gather(const unsigned* index, const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = in[index[i]];
}

__global__ void scatter(const unsigned* index, const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[index[i]] = in[i];
}

__global__ void bit_reversal(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  const std::size_t low = i & 16383;
  out[i - low + (__brev(static_cast<unsigned>(low)) >> 18)] = in[i];
}

__global__ void every_third(const float* in, float* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i < n) out[i] = in[3 * i];
}

__global__ void compact(const unsigned* in, unsigned* out, unsigned* count, std::size_t n) {
  const std::size_t i = global_index();
  const unsigned v = i < n ? in[i] : 1;
  const bool keep = v % 2 == 0;
  const unsigned keepers = __ballot_sync(~0u, keep), lane = threadIdx.x % 32;
  unsigned base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(keepers));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[(base + __popc(keepers & ((1u << lane) - 1))) % n] = v;
}

__global__ void histogram(const unsigned* in, unsigned* bins, std::size_t n) {
  __shared__ unsigned mine[256];
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (std::size_t i = global_index(); i < n; i += gridDim.x * std::size_t{blockDim.x}) {
    const unsigned v = in[i];
    for (int k = 0; k < 4; ++k) atomicAdd(&mine[v >> (8 * k) & 255], 1u);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&bins[b], mine[b]);
}

__global__ void sparse_rows(const unsigned* column, const float* value, const float* x, float* y,
                            std::size_t rows) {
  const std::size_t row = global_index();
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += value[row * 8 + k] * x[column[row * 8 + k]];
  y[row] = sum;
}

// --- structs ---

struct Body {
  float x, y, z, mass, vx, vy, vz, charge;
};

__global__ void update_structs(Body* bodies, std::size_t n, float dt) {
  const std::size_t i = global_index();
  if (i >= n) return;
  Body& b = bodies[i];
  b.x += dt * b.vx;
  b.y += dt * b.vy;
  b.z += dt * b.vz;
}

__global__ void update_arrays(float* x, float* y, float* z, const float* vx, const float* vy, const float* vz,
                              std::size_t n, float dt) {
  const std::size_t i = global_index();
  if (i >= n) return;
  x[i] += dt * vx[i];
  y[i] += dt * vy[i];
  z[i] += dt * vz[i];
}

// --- rows and columns ---

__global__ void row_sums(const float* in, float* out, int width, std::size_t rows) {
  const std::size_t row = global_index() / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int c = threadIdx.x % 32; c < width; c += 32) sum += in[row * width + c];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) out[row] = sum;
}

__global__ void column_sums(const float* in, float* out, int width, int rows_each) {
  const std::size_t column = global_index(), first = std::size_t{blockIdx.y} * rows_each;
  float sum = 0;
  for (int r = 0; r < rows_each; ++r) sum += in[(first + r) * width + column];
  atomicAdd(&out[column], sum);
}

__global__ void softmax_rows(const float* in, float* out, int width) {
  __shared__ float parts[8];
  __shared__ float total;
  const float* row = in + blockIdx.x * std::size_t(width);
  float sum = 0;
  for (int c = threadIdx.x; c < width; c += 256) sum += __expf(row[c]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0;
    for (int w = 0; w < 8; ++w) all += parts[w];
    total = all;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < width; c += 256)
    out[blockIdx.x * std::size_t(width) + c] = __expf(row[c]) / total;
}

__global__ void block_scan(const float* in, float* out, std::size_t n) {
  __shared__ float line[256];
  const std::size_t i = global_index();
  const unsigned t = threadIdx.x;
  float v = i < n ? in[i] : 0;
  line[t] = v;
  __syncthreads();
  for (unsigned d = 1; d < 256; d *= 2) {
    const float left = t >= d ? line[t - d] : 0;
    __syncthreads();
    line[t] = v += left;
    __syncthreads();
  }
  if (i < n) out[i] = v;
}

__global__ void small_transposes(const float* in, float* out, std::size_t n) {
  __shared__ float tile[32][65];  // 32 matrices of 8 x 8
  const std::size_t first = blockIdx.x * std::size_t{2048};
  for (unsigned k = threadIdx.x; k < 2048 && first + k < n; k += 256) tile[k / 64][k % 64] = in[first + k];
  __syncthreads();
  for (unsigned k = threadIdx.x; k < 2048 && first + k < n; k += 256)
    out[first + k] = tile[k / 64][k % 8 * 8 + k / 8 % 8];
}

// --- images and volumes ---

__constant__ float filter[25];

__global__ void convolution(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width - 4 || y >= height - 4) return;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy)
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum += filter[dy * 5 + dx] * in[std::size_t(y + dy) * width + x + dx];
  out[std::size_t(y) * width + x] = sum;
}

__global__ void convolution_tiled(const float* in, float* out, int width, int height) {
  __shared__ float tile[20][36];
  const int x0 = blockIdx.x * 32, y0 = blockIdx.y * 16;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 20 * 36; k += 512) {
    const int y = min(y0 + k / 36, height - 1), x = min(x0 + k % 36, width - 1);
    tile[k / 36][k % 36] = in[std::size_t(y) * width + x];
  }
  __syncthreads();
  const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
  if (x >= width - 4 || y >= height - 4) return;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy)
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum += filter[dy * 5 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
  out[std::size_t(y) * width + x] = sum;
}

__global__ void blur_pixels(const uchar4* in, uchar4* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width - 2 || y >= height - 2) return;
  int r = 0, g = 0, b = 0;
#pragma unroll
  for (int dy = 0; dy < 3; ++dy)
#pragma unroll
    for (int dx = 0; dx < 3; ++dx) {
      const uchar4 p = in[std::size_t(y + dy) * width + x + dx];
      r += p.x;
      g += p.y;
      b += p.z;
    }
  out[std::size_t(y) * width + x] = make_uchar4(r / 9, g / 9, b / 9, 255);
}

__global__ void volume(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z + 1;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z >= nz - 1) return;
  const std::size_t at = (std::size_t(z) * ny + y) * nx + x, plane = std::size_t(nx) * ny;
  out[at] = 0.4f * in[at] +
            0.1f * (in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - plane] + in[at + plane]);
}

__global__ void volume_march(const float* in, float* out, int nx, int ny, int depth) {
  __shared__ float layer[10][34];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + tx, y = blockIdx.y * 8 + ty;  // the grid leaves a border of one
  const std::size_t plane = std::size_t(nx) * ny;
  std::size_t at = (std::size_t(blockIdx.z) * depth + 1) * plane + std::size_t(y) * nx + x;
  float below = in[at - plane], here = in[at];
  for (int z = 0; z < depth; ++z, at += plane) {
    const float above = in[at + plane];
    __syncthreads();
    layer[ty][tx] = here;
    if (tx == 1) layer[ty][0] = in[at - 1];
    if (tx == 32) layer[ty][33] = in[at + 1];
    if (ty == 1) layer[0][tx] = in[at - nx];
    if (ty == 8) layer[9][tx] = in[at + nx];
    __syncthreads();
    out[at] = 0.4f * here + 0.1f * (layer[ty][tx - 1] + layer[ty][tx + 1] + layer[ty - 1][tx] +
                                    layer[ty + 1][tx] + below + above);
    below = here;
    here = above;
  }
}

// --- matrices ---

__global__ void matmul(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[std::size_t(y) * n + k] * b[std::size_t(k) * n + x];
  c[std::size_t(y) * n + x] = sum;
}

__global__ void matmul_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float left[32][32], right[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + ty;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    left[ty][tx] = a[std::size_t(y) * n + k0 + tx];
    right[ty][tx] = b[std::size_t(k0 + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[std::size_t(y) * n + x] = sum;
}

// A stack that the thread indexes with what it reads: it lies in local memory.
__global__ void private_table(const unsigned* in, unsigned* out, std::size_t n) {
  const std::size_t i = global_index();
  if (i >= n) return;
  unsigned table[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) table[k] = k * 0x9e3779b9u + static_cast<unsigned>(i);
  unsigned v = in[i];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) {
    const unsigned at = (v + k) & 31;
    v ^= table[at];
    table[at] = v >> 1;
  }
  out[i] = v;
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const std::size_t bytes = bench.array_bytes, n = bytes / 4;
  auto* in = bench.array<float>(bytes);
  auto* out = bench.array<float>(bytes);
  auto* third = bench.array<unsigned>(bytes);
  auto* words = reinterpret_cast<unsigned*>(in);
  auto* results = reinterpret_cast<unsigned*>(out);
  const auto blocks = [](std::size_t threads) { return static_cast<unsigned>((threads + 255) / 256); };
  const double one = static_cast<double>(bytes), two = 2 * one;
  const unsigned resident = static_cast<unsigned>(bench.sms) * 8;

  bench.run("copy of bytes", two / 4, [&] {
    copy_type<<<blocks(n), 256>>>(reinterpret_cast<unsigned char*>(in), reinterpret_cast<unsigned char*>(out),
                                  n);
  });
  bench.run("copy of float2", two, [&] {
    copy_type<<<blocks(n / 2), 256>>>(reinterpret_cast<float2*>(in), reinterpret_cast<float2*>(out), n / 2);
  });
  bench.run("copy of float3", two, [&] {
    copy_type<<<blocks(n / 3), 256>>>(reinterpret_cast<float3*>(in), reinterpret_cast<float3*>(out), n / 3);
  });
  bench.run("saxpy", 3 * one, [&] { saxpy<<<blocks(n), 256>>>(2.0f, in, out, n); });
  bench.run("saxpy, float4, resident blocks", 3 * one, [&] {
    saxpy_wide<<<resident, 256>>>(2.0f, reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out), n / 4);
  });
  bench.run("daxpy", 3 * one, [&] {
    daxpy<<<blocks(n / 2), 256>>>(2.0, reinterpret_cast<double*>(in), reinterpret_cast<double*>(out), n / 2);
  });
  bench.run("dot product", two, [&] { dot<<<resident, 256>>>(in, out, reinterpret_cast<float*>(third), n); });
  bench.run("polynomial, constants", two, [&] { polynomial<<<blocks(n), 256>>>(in, out, n); });
  bench.run("hash, 32 rounds", two, [&] { hash_rounds<<<blocks(n), 256>>>(words, results, n); });
  bench.run("sine and exponential, 8 rounds", two, [&] { transcendental<<<blocks(n), 256>>>(in, out, n); });
  bench.run("every third", 2 * (one / 3), [&] { every_third<<<blocks(n / 3), 256>>>(in, out, n / 3); });
  bench.run("bit reversal in chunks", two,
            [&] { bit_reversal<<<blocks(n / 16384 * 16384), 256>>>(in, out, n / 16384 * 16384); });
  bench.run("structs updated", 36.0 * static_cast<double>(n / 8),
            [&] { update_structs<<<blocks(n / 8), 256>>>(reinterpret_cast<Body*>(in), n / 8, 0.1f); });
  {
    const std::size_t m = n / 4;
    float* velocity = reinterpret_cast<float*>(third);
    bench.run("arrays updated", 36.0 * static_cast<double>(m), [&] {
      update_arrays<<<blocks(m), 256>>>(out, out + m, out + 2 * m, velocity, velocity + m, velocity + 2 * m,
                                        m, 0.1f);
    });
  }
  bench.run("block scan", two, [&] { block_scan<<<blocks(n), 256>>>(in, out, n); });
  bench.run("small transposes", two,
            [&] { small_transposes<<<static_cast<unsigned>(n / 2048), 256>>>(in, out, n); });
  {
    const int width = 1024;
    const std::size_t rows = n / width;
    bench.run("row sums", one, [&] { row_sums<<<blocks(rows * 32), 256>>>(in, out, width, rows); });
    bench.run("softmax of rows", two,
              [&] { softmax_rows<<<static_cast<unsigned>(rows), 256>>>(in, out, width); });
  }
  {
    const int width = 4096, each = 64;
    const dim3 grid(width / 256, static_cast<unsigned>(n / width / each));
    bench.run("column sums", static_cast<double>(grid.y) * each * width * 4,
              [&] { column_sums<<<grid, 256>>>(in, out, width, each); });
  }
  {
    const int width = 8192, height = static_cast<int>(n / width);
    const dim3 flat(width / 32, (height + 7) / 8), tiles(width / 32, (height + 15) / 16);
    bench.run("convolution 5x5", two, [&] { convolution<<<flat, dim3(32, 8)>>>(in, out, width, height); });
    bench.run("convolution 5x5, tiled", two,
              [&] { convolution_tiled<<<tiles, dim3(32, 16)>>>(in, out, width, height); });
    bench.run("blur of pixels 3x3", two, [&] {
      blur_pixels<<<flat, dim3(32, 8)>>>(reinterpret_cast<uchar4*>(in), reinterpret_cast<uchar4*>(out), width,
                                         height);
    });
  }
  {
    const int nx = 514, ny = 258, depth = 16,
              layers = static_cast<int>(n / (std::size_t{514} * 258) - 2) / depth;
    const int nz = layers * depth + 2;
    const double inner = 2.0 * 4 * 512 * 256 * layers * depth;
    bench.run("volume, 7 points", inner, [&] {
      volume<<<dim3(17, 33, static_cast<unsigned>(nz - 2)), dim3(32, 8)>>>(in, out, nx, ny, nz);
    });
    bench.run("volume, marching", inner, [&] {
      volume_march<<<dim3(16, 32, static_cast<unsigned>(layers)), dim3(32, 8)>>>(in, out, nx, ny, depth);
    });
  }
  {
    const int size = 512, rows = bench.sms * 128;
    // The second factor is as large on a slice as on the card; its share of the rate is a slice's.
    const double touched = 4.0 * size * (2.0 * rows + size / bench.slice);
    bench.run("matrix product", touched, [&] {
      matmul<<<dim3(size / 16, rows / 16), dim3(16, 16)>>>(in, out, reinterpret_cast<float*>(third), size);
    });
    bench.run("matrix product, tiled", touched, [&] {
      matmul_tiled<<<dim3(size / 32, rows / 32), dim3(32, 32)>>>(in, out, reinterpret_cast<float*>(third),
                                                                 size);
    });
  }
  bench.run("private table", two, [&] { private_table<<<blocks(n), 256>>>(words, results, n); });

  if (bench.wants("histogram of bytes") || bench.wants("compact")) fill_bytes<<<blocks(n), 256>>>(words, n);
  bench.run("histogram of bytes", one, [&] { histogram<<<resident, 256>>>(words, results, n); });
  bench.run("compact", one * 1.5, [&] {
    ladder::check(cudaMemsetAsync(third, 0, 4), "cudaMemsetAsync");
    compact<<<blocks(n), 256>>>(words, results, third, n);
  });

  int bits = 0;
  while (std::size_t{2} << bits <= n) ++bits;
  const std::size_t some = n / 8;
  if (bench.wants("gather, random") || bench.wants("scatter, random"))
    fill_shuffled<<<blocks(some), 256>>>(third, some, bits);
  bench.run("gather, random", 12.0 * static_cast<double>(some),
            [&] { gather<<<blocks(some), 256>>>(third, in, out, some); });
  bench.run("scatter, random", 12.0 * static_cast<double>(some),
            [&] { scatter<<<blocks(some), 256>>>(third, in, out, some); });
  if (bench.wants("gather, rising") || bench.wants("scatter, rising"))
    fill_rising<<<blocks(n / 4), 256>>>(third, n / 4, 3);
  bench.run("gather, rising", 3 * one / 4, [&] { gather<<<blocks(n / 4), 256>>>(third, in, out, n / 4); });
  bench.run("scatter, rising", 3 * one / 4, [&] { scatter<<<blocks(n / 4), 256>>>(third, in, out, n / 4); });
  if (bench.wants("sparse rows")) fill_random<<<blocks(n), 256>>>(third, n, 1u << 17);
  bench.run("sparse rows", two + one / 8,
            [&] { sparse_rows<<<blocks(n / 8), 256>>>(third, in, out, out + n / 2, n / 8); });
  return 0;
}

/// @file
/// One-dimensional stencil of radius 3: loads from global memory, tiles, registers; block sizes; window sums.
#include "ladder.hpp"

namespace {

constexpr int kRadius = 3;
using std::size_t;

__device__ __forceinline__ float load(const float* in, long long i, long long n) {
  return i >= 0 && i < n ? in[i] : 0.0f;
}

__global__ void seven_loads(const float* in, float* out, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += load(in, i + k, n);
  out[i] = sum;
}

/// Four outputs a thread, one after the other.
__global__ void seven_loads_four(const float* in, float* out, long long n) {
  const long long first = blockIdx.x * 4LL * blockDim.x + threadIdx.x;
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    const long long i = first + o * blockDim.x;
    if (i >= n) return;
    float sum = 0;
#pragma unroll
    for (int k = -kRadius; k <= kRadius; ++k) sum += load(in, i + k, n);
    out[i] = sum;
  }
}

/// A tile with its halo in shared memory, P outputs a thread.
template <int Block, int P, int R>
__global__ void tile(const float* in, float* out, long long n) {
  __shared__ float s[Block * P + 2 * R];
  const long long base = blockIdx.x * static_cast<long long>(Block * P);
#pragma unroll
  for (int p = 0; p < P; ++p) s[R + p * Block + threadIdx.x] = load(in, base + p * Block + threadIdx.x, n);
  if (threadIdx.x < R) {
    s[threadIdx.x] = load(in, base - R + threadIdx.x, n);
    s[R + Block * P + threadIdx.x] = load(in, base + Block * P + threadIdx.x, n);
  }
  __syncthreads();
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const int at = p * Block + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * R; ++k) sum += s[at + k];
    if (base + at < n) out[base + at] = sum;
  }
}

template <int P, int R>
__global__ void window_global(const float* in, float* out, long long n) {
  const long long first = blockIdx.x * static_cast<long long>(P) * blockDim.x + threadIdx.x;
#pragma unroll
  for (int o = 0; o < P; ++o) {
    const long long i = first + o * blockDim.x;
    if (i < R || i + R >= n) continue;
    float sum = 0;
#pragma unroll
    for (int k = -R; k <= R; ++k) sum += in[i + k];
    out[i] = sum;
  }
}

/// A window of twelve floats in registers gives four outputs.
__global__ void registers(const float4* in, float4* out, long long n4) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i >= n4) return;
  const float4 zero = make_float4(0, 0, 0, 0);
  const float4 b = in[i];
  const float4 a = i > 0 ? in[i - 1] : zero;
  const float4 c = i + 1 < n4 ? in[i + 1] : zero;
  const float w[12] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.z, c.w};
  float r[4];
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    float sum = 0;
#pragma unroll
    for (int k = 1; k <= 7; ++k) sum += w[o + k];
    r[o] = sum;
  }
  out[i] = make_float4(r[0], r[1], r[2], r[3]);
}

/// A block-sized tile, the textbook way; dynamic size.
__global__ void textbook(const float* in, float* out, long long n) {
  extern __shared__ float t[];
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const int l = static_cast<int>(threadIdx.x) + kRadius;
  t[l] = load(in, i, n);
  if (threadIdx.x < kRadius) {
    t[l - kRadius] = load(in, i - kRadius, n);
    t[l + blockDim.x] = load(in, i + blockDim.x, n);
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += t[l + k];
  if (i < n) out[i] = sum;
}

unsigned blocks_for(long long n, long long per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

}  // namespace

int main(int argc, char** argv) {
  const ladder::Bench bench(argc, argv);
  const long long n = static_cast<long long>(bench.array_bytes / 4);
  auto* in = bench.array<float>(bench.array_bytes);
  auto* out = bench.array<float>(bench.array_bytes);
  const double moved = 8.0 * static_cast<double>(n);
  bench.run("seven loads", moved, [&] { seven_loads<<<blocks_for(n, 256), 256>>>(in, out, n); });
  bench.run("tile 256", moved, [&] { tile<256, 1, 3><<<blocks_for(n, 256), 256>>>(in, out, n); });
  bench.run("seven loads, four outputs", moved,
            [&] { seven_loads_four<<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("tile 1024, four outputs", moved,
            [&] { tile<256, 4, 3><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("float4 registers", moved, [&] {
    registers<<<blocks_for(n / 4, 256), 256>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out),
                                               n / 4);
  });
  for (const unsigned block : {16u, 64u, 256u, 1024u}) {
    bench.run("textbook, blocks of " + std::to_string(block), moved,
              [&] { textbook<<<blocks_for(n, block), block, (block + 2 * kRadius) * 4>>>(in, out, n); });
  }
  bench.run("window global r=1", moved,
            [&] { window_global<4, 1><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window global r=3", moved,
            [&] { window_global<4, 3><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window global r=8", moved,
            [&] { window_global<4, 8><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window global r=16", moved,
            [&] { window_global<4, 16><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window tile r=1", moved, [&] { tile<256, 4, 1><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window tile r=8", moved, [&] { tile<256, 4, 8><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  bench.run("window tile r=16", moved, [&] { tile<256, 4, 16><<<blocks_for(n, 1024), 256>>>(in, out, n); });
  return 0;
}

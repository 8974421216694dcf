/// @file
/// Cooperative groups: tiles, coalesced and labelled groups, scans, grids, clusters, asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include "program.hpp"
namespace cg = cooperative_groups;
__global__ void tiles(const int* in, int* out) {
  auto b = cg::this_thread_block();
  auto t32 = cg::tiled_partition<32>(b);
  auto t8 = cg::tiled_partition<8>(t32);
  auto t4 = cg::tiled_partition(b, 4);
  int v = in[b.thread_rank()];
  int s = cg::reduce(t8, v, cg::plus<int>());
  int mx = cg::reduce(t32, v, cg::greater<int>());
  int inc = cg::inclusive_scan(t8, v);
  int exc = cg::exclusive_scan(t32, v, cg::plus<int>());
  t4.sync();
  out[b.thread_rank()] = s + mx + inc + exc + t4.thread_rank() + t8.meta_group_rank();
}
__global__ void coalesced(const int* in, int* out, int* counter) {
  auto b = cg::this_thread_block();
  int i = b.group_index().x * b.size() + b.thread_rank();
  int v = in[i];
  if (v & 1) {
    auto g = cg::coalesced_threads();
    int base;
    if (g.thread_rank() == 0) base = atomicAdd(counter, g.size());
    base = g.shfl(base, 0);
    out[base + g.thread_rank()] = v;
  }
}
__global__ void labels(const int* in, int* out) {
  auto w = cg::tiled_partition<32>(cg::this_thread_block());
  int v = in[threadIdx.x];
  auto l = cg::labeled_partition(w, v % 3);
  auto bp = cg::binary_partition(w, (v & 1) != 0);
  int s = cg::reduce(l, v, cg::plus<int>());
  int c = bp.size();
  out[threadIdx.x] = s * 100 + c;
  cg::invoke_one(cg::coalesced_threads(), [&] { atomicAdd(&out[64], 1); });
  int r = cg::invoke_one_broadcast(cg::coalesced_threads(), [&] { return int(threadIdx.x); });
  if (r < 0) out[65] = r;
}
__global__ void grid_wide(float* a, float* b, int n, int steps) {
  auto g = cg::this_grid();
  for (int s = 0; s < steps; ++s) {
    for (int i = g.thread_rank(); i < n; i += g.size()) {
      float l = a[i ? i - 1 : 0], r = a[i + 1 < n ? i + 1 : n - 1];
      b[i] = 0.5f * (l + r);
    }
    g.sync();
    float* t = a;
    a = b;
    b = t;
  }
}
__global__ void grid_token(int* x) {
  auto g = cg::this_grid();
  x[g.thread_rank()] = g.thread_rank();
  auto t = g.barrier_arrive();
  g.barrier_wait(std::move(t));
  int v = x[g.size() - 1 - g.thread_rank()];
  g.sync();
  x[g.thread_rank()] = v;
}
__global__ void __cluster_dims__(4, 1, 1) clustered(int* out) {
  __shared__ int mine[64];
  auto c = cg::this_cluster();
  mine[threadIdx.x] = c.block_rank() * 100 + threadIdx.x;
  c.sync();
  int* peer = c.map_shared_rank(mine, (c.block_rank() + 1) % c.num_blocks());
  int v = peer[63 - threadIdx.x];
  c.sync();
  out[blockIdx.x * 64 + threadIdx.x] = v;
}
__global__ void __cluster_dims__(2, 1, 1) cluster_hist(const int* in, int n, int* bins) {
  __shared__ int h[32];
  auto c = cg::this_cluster();
  if (threadIdx.x < 32) h[threadIdx.x] = 0;
  c.sync();
  for (int i = c.thread_rank() + (blockIdx.x / 2) * c.num_threads(); i < n;
       i += gridDim.x / 2 * c.num_threads()) {
    int b = in[i] & 63;
    int* r = c.map_shared_rank(h, b / 32);
    atomicAdd(r + b % 32, 1);
  }
  c.sync();
  if (threadIdx.x < 32) atomicAdd(&bins[c.block_rank() * 32 + threadIdx.x], h[threadIdx.x]);
}
__global__ void copies(const int* in, int* out, int tiles) {
  extern __shared__ int s[];
  auto b = cg::this_thread_block();
  for (int t = 0; t < tiles; ++t) {
    cg::memcpy_async(b, s, in + t * 100, 100 * sizeof(int));
    cg::wait(b);
    for (int i = b.thread_rank(); i < 100; i += b.size()) out[t * 100 + i] = s[99 - i];
    b.sync();
  }
}
__global__ void copies2(const int* in, int* out, int tiles) {  // two stages
  __shared__ int s[2][128];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s[0], in, 128 * sizeof(int));
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      cg::memcpy_async(b, s[(t + 1) & 1], in + (t + 1) * 128, sizeof(int) * 128);
      cg::wait_prior<1>(b);
    } else
      cg::wait(b);
    out[t * 128 + threadIdx.x] = s[t & 1][127 - threadIdx.x];
    b.sync();
  }
}
__global__ void big_tile(int* out) {
  __shared__ cg::block_tile_memory<256> m;
  auto b = cg::this_thread_block(m);
  auto t = cg::tiled_partition<128>(b);
  int s = cg::reduce(t, int(threadIdx.x), cg::plus<int>());
  t.sync();
  out[threadIdx.x] = s;
}
__global__ void partial_warp(int* out) {
  if (threadIdx.x % 3 == 0) {
    auto g = cg::coalesced_threads();
    int s = cg::reduce(g, int(threadIdx.x), cg::plus<int>());
    out[threadIdx.x] = s;
    g.sync();
  } else
    out[threadIdx.x] = 0;
}
int main() {
  int n = 256;
  std::vector<int> h(n);
  for (int i = 0; i < n; ++i) h[i] = (i * 37) % 101;
  int* d = to_device(h);
  int *o, *c;
  CHECK(cudaMalloc(&o, 4096));
  CHECK(cudaMalloc(&c, 4));
  CHECK(cudaMemset(c, 0, 4));
  tiles<<<1, 256>>>(d, o);
  auto r = to_host(o, 256);
  for (int i = 0; i < 256; ++i) {
    int s8 = 0, mx = 0, inc = 0, ex = 0;
    for (int k = i / 8 * 8; k < i / 8 * 8 + 8; ++k) {
      s8 += h[k];
      if (k <= i) inc += h[k];
    }
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
      mx = std::max(mx, h[k]);
      if (k < i) ex += h[k];
    }
    EXPECT(r[i] == s8 + mx + inc + ex + i % 4 + i % 32 / 8);
  }
  coalesced<<<2, 128>>>(d, o, c);
  int odd = 0;
  for (int x : h) odd += x & 1;
  EXPECT(to_host(c, 1)[0] == odd);
  CHECK(cudaMemset(o, 0, 4096));
  labels<<<1, 64>>>(d, o);
  EXPECT(to_host(o, 65)[64] >= 2);
  {
    float *a, *b;
    CHECK(cudaMalloc(&a, 4000));
    CHECK(cudaMalloc(&b, 4000));
    std::vector<float> x(1000);
    x[500] = 1024;
    CHECK(cudaMemcpy(a, x.data(), 4000, cudaMemcpyHostToDevice));
    int nn = 1000, st = 10;
    void* args[] = {&a, &b, &nn, &st};
    CHECK(cudaLaunchCooperativeKernel((void*)grid_wide, 11, 64, args));
    auto y = to_host(a, 1000);
    EXPECT(y[500] == 252);
    void* a2[] = {&o};
    CHECK(cudaLaunchCooperativeKernel((void*)grid_token, 8, 64, a2));
    r = to_host(o, 512);
    for (int i = 0; i < 512; ++i) EXPECT(r[i] == 511 - i);
    CHECK(cudaFree(a));
    CHECK(cudaFree(b));
  }
  clustered<<<8, 64>>>(o);
  r = to_host(o, 512);
  for (int i = 0; i < 512; ++i) EXPECT(r[i] == (i / 64 + 1) % 4 * 100 + 63 - i % 64);
  CHECK(cudaMemset(o, 0, 256));
  cluster_hist<<<4, 64>>>(d, 256, o);
  r = to_host(o, 64);
  std::vector<int> e(64);
  for (int x : h) e[x & 63]++;
  EXPECT(r == e);
  copies<<<1, 64, 400>>>(d, o, 2);
  r = to_host(o, 200);
  for (int i = 0; i < 200; ++i) EXPECT(r[i] == h[i / 100 * 100 + 99 - i % 100]);
  copies2<<<1, 128>>>(d, o, 2);
  r = to_host(o, 256);
  for (int i = 0; i < 256; ++i) EXPECT(r[i] == h[i / 128 * 128 + 127 - i % 128]);
  big_tile<<<1, 256>>>(o);
  r = to_host(o, 256);
  EXPECT(r[0] == 127 * 64 && r[255] == 127 * 64 + 128 * 128);
  partial_warp<<<1, 64>>>(o);
  r = to_host(o, 64);
  EXPECT(r[3] == 165);
  CHECK(cudaFree(d));
  CHECK(cudaFree(o));
  CHECK(cudaFree(c));
  return ok();
}

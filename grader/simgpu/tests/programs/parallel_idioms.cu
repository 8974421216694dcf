/// @file
/// Idioms of parallel programs as courses teach them: reductions and scans of several kinds, graph searches with flags,
/// compaction, hash tables, look-back, tiled products, shortest paths, CAS loops, bodies and cells.
#include <algorithm>
#include <numeric>

#include "program.hpp"

// Textbooks of before 2017 leave the __syncwarp() out: lanes ran in step then.
template <int B>
__device__ void warp_reduce_volatile(volatile float* s, int t) {
  if (B >= 64) s[t] += s[t + 32];
  for (int d = 16; d > 0; d /= 2) {
    __syncwarp();
    const float mine = s[t] + s[t + d];
    __syncwarp();
    s[t] = mine;
  }
}
__global__ void reduce5(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += in[i];
  s[t] = v;
  __syncthreads();
  if (t < 128) s[t] += s[t + 128];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) warp_reduce_volatile<256>(s, t);
  if (t == 0) atomicAdd(out, s[0]);
}
__global__ void bfs1(const int* start, const int* edges, const int* count, bool* mask, bool* updating,
                     const bool* visited, int* cost, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && mask[t]) {
    mask[t] = false;
    for (int e = start[t]; e < start[t] + count[t]; ++e) {
      int id = edges[e];
      if (!visited[id]) {
        cost[id] = cost[t] + 1;
        updating[id] = true;
      }
    }
  }
}
__global__ void bfs2(bool* mask, bool* updating, bool* visited, bool* over, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n && updating[t]) {
    mask[t] = true;
    visited[t] = true;
    *over = true;
    updating[t] = false;
  }
}
__global__ void compact(const int* in, int* out, int* n_out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned m = __ballot_sync(~0u, keep);
  int lane = threadIdx.x & 31, base = 0;
  if (lane == 0 && m) base = atomicAdd(n_out, __popc(m));
  base = __shfl_sync(~0u, base, 0);
  if (keep) out[base + __popc(m & ((1u << lane) - 1))] = in[i];
}
__global__ void bitonic(int* x) {
  __shared__ int s[512];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 256] = x[t + 256];
  for (int k = 2; k <= 512; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (j - 1));
      bool up = (i & k) == 0;
      int a = s[i], b = s[i + j];
      if ((a > b) == up) {
        s[i] = b;
        s[i + j] = a;
      }
    }
  __syncthreads();
  x[t] = s[t];
  x[t + 256] = s[t + 256];
}
__global__ void blelloch(int* x, int n) {
  extern __shared__ int s[];
  int t = threadIdx.x, off = 1;
  s[2 * t] = x[2 * t];
  s[2 * t + 1] = x[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) {
      int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1;
      s[b] += s[a];
    }
    off *= 2;
  }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1;
      int v = s[a];
      s[a] = s[b];
      s[b] += v;
    }
  }
  __syncthreads();
  x[2 * t] = s[2 * t];
  x[2 * t + 1] = s[2 * t + 1];
}
struct Slot {
  unsigned key;
  unsigned value;
};
__global__ void insert(Slot* table, int cap, const unsigned* keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], h = (k * 2654435761u) % cap;
  while (true) {
    unsigned old = atomicCAS(&table[h].key, 0u, k);
    if (old == 0 || old == k) {
      table[h].value = k * 2;
      return;
    }
    h = (h + 1) % cap;
  }
}
__global__ void lookup(const Slot* table, int cap, const unsigned* keys, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i], h = (k * 2654435761u) % cap;
  while (table[h].key != k) {
    if (table[h].key == 0) {
      out[i] = 0;
      return;
    }
    h = (h + 1) % cap;
  }
  out[i] = table[h].value;
}
// decoupled look-back, by hand
__global__ void lookback(const int* in, int* out, volatile int* flags, volatile int* aggregate,
                         volatile int* inclusive, int* ticket) {
  __shared__ int tile, prefix, s[128];
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1);
  __syncthreads();
  int t = threadIdx.x, i = tile * 128 + t;
  s[t] = in[i];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    int v = t >= d ? s[t - d] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  if (t == 0) {
    int total = s[127];
    if (tile == 0) {
      inclusive[0] = total;
      __threadfence();
      flags[0] = 2;
      prefix = 0;
    } else {
      aggregate[tile] = total;
      __threadfence();
      flags[tile] = 1;
      int p = 0;
      for (int k = tile - 1; k >= 0; --k) {
        int f;
        while ((f = flags[k]) == 0) {
        }
        __threadfence();
        if (f == 2) {
          p += inclusive[k];
          break;
        }
        p += aggregate[k];
      }
      inclusive[tile] = p + total;
      __threadfence();
      flags[tile] = 2;
      prefix = p;
    }
  }
  __syncthreads();
  out[i] = s[t] + prefix;
}
template <int T>
__global__ void sgemm(const float* A, const float* B, float* C, int n) {
  __shared__ float a[T][T + 1], b[T][T];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k += T) {
    a[threadIdx.y][threadIdx.x] = y < n && k + threadIdx.x < n ? A[y * n + k + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = x < n && k + threadIdx.y < n ? B[(k + threadIdx.y) * n + x] : 0;
    __syncthreads();
    for (int q = 0; q < T; ++q) s += a[threadIdx.y][q] * b[q][threadIdx.x];
    __syncthreads();
  }
  if (x < n && y < n) C[y * n + x] = s;
}
__global__ void sgemm_vec(const float4* A, const float4* B, float4* C, int n) {
  __shared__ alignas(16) float a[16][64], b[16][64];
  float c[4][4] = {};
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  for (int k = 0; k < n; k += 16) {
    int r = threadIdx.x / 4, q = threadIdx.x % 4;
    float4 v = A[((blockIdx.y * 64 + r) * n + k) / 4 + q];
    a[q * 4][r] = v.x;
    a[q * 4 + 1][r] = v.y;
    a[q * 4 + 2][r] = v.z;
    a[q * 4 + 3][r] = v.w;
    int rb = threadIdx.x / 16, qb = threadIdx.x % 16;
    reinterpret_cast<float4*>(b[rb])[qb] = B[((k + rb) * n + blockIdx.x * 64) / 4 + qb];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float4 x = reinterpret_cast<float4*>(a[i])[ty], y = reinterpret_cast<float4*>(b[i])[tx];
      float xa[4] = {x.x, x.y, x.z, x.w}, yb[4] = {y.x, y.y, y.z, y.w};
      for (int m = 0; m < 4; ++m)
        for (int l = 0; l < 4; ++l) c[m][l] += xa[m] * yb[l];
    }
    __syncthreads();
  }
  for (int m = 0; m < 4; ++m)
    C[((blockIdx.y * 64 + ty * 4 + m) * n + blockIdx.x * 64) / 4 + tx] =
        make_float4(c[m][0], c[m][1], c[m][2], c[m][3]);
}
__global__ void floyd(int* d, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
  if (j < n) {
    int v = d[i * n + k] + d[k * n + j];
    if (v < d[i * n + j]) d[i * n + j] = v;
  }
}
__global__ void sssp(const int* start, const int* to, const int* w, int* dist, int* changed, int n) {
  int u = blockIdx.x * blockDim.x + threadIdx.x;
  if (u >= n) return;
  int du = atomicAdd(&dist[u], 0);
  if (du == 1 << 29) return;
  for (int e = start[u]; e < start[u + 1]; ++e) {
    int nd = du + w[e];
    if (atomicMin(&dist[to[e]], nd) > nd) *changed = 1;
  }
}
__global__ void life(const unsigned char* a, unsigned char* b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  int c = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx || dy) c += a[(y + dy + n) % n * n + (x + dx + n) % n];
  b[y * n + x] = c == 3 || (c == 2 && a[y * n + x]);
}
__global__ void hist(const unsigned char* in, int n, int* out) {
  __shared__ int h[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[in[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (h[i]) atomicAdd(&out[i], h[i]);
}
__device__ double atomic_max_double(double* a, double v) {
  unsigned long long* p = (unsigned long long*)a;
  unsigned long long old = *p, assumed;
  do {
    assumed = old;
    if (__longlong_as_double(assumed) >= v) break;
    old = atomicCAS(p, assumed, __double_as_longlong(v));
  } while (old != assumed);
  return __longlong_as_double(old);
}
__global__ void max_all(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max_double(out, in[i]);
}
__global__ void row_softmax(const float* in, float* out, int n) {
  const float* r = in + blockIdx.x * n;
  float m = -1e30f;
  for (int i = threadIdx.x; i < n; i += 32) m = fmaxf(m, r[i]);
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32) s += expf(r[i] - m);
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  for (int i = threadIdx.x; i < n; i += 32) out[blockIdx.x * n + i] = expf(r[i] - m) / s;
}
__global__ void nbody(const float4* p, float3* f, int n) {
  __shared__ float4 s[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = p[i];
  float3 a = {0, 0, 0};
  for (int t = 0; t < n; t += 64) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      float dx = s[k].x - me.x, dy = s[k].y - me.y, dz = s[k].z - me.z,
            r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float w = s[k].w * r * r * r;
      a.x += dx * w;
      a.y += dy * w;
      a.z += dz * w;
    }
    __syncthreads();
  }
  f[i] = a;
}
int main() {
  unsigned r = 9;
  auto rnd = [&] { return (r = r * 1664525u + 1013904223u) >> 8; };
  {
    int n = 10000;
    std::vector<float> h(n);
    for (auto& x : h) x = rnd() % 10;
    auto d = to_device(h);
    float* o;
    CHECK(cudaMalloc(&o, 4));
    CHECK(cudaMemset(o, 0, 4));
    reduce5<<<7, 256>>>(d, o, n);
    EXPECT(to_host(o, 1)[0] == std::accumulate(h.begin(), h.end(), 0.f));
  }
  {
    int n = 2000;
    std::vector<int> st(n), cn(n), ed;
    for (int i = 0; i < n; ++i) {
      st[i] = ed.size();
      cn[i] = rnd() % 5 + 1;
      for (int k = 0; k < cn[i]; ++k) ed.push_back(rnd() % n);
    }
    ed.push_back(0);
    std::vector<char> m(n, 0), z(n, 0);
    m[0] = 1;
    std::vector<int> c(n, -1);
    c[0] = 0;
    auto dst = to_device(st), dcn = to_device(cn), ded = to_device(ed), dc = to_device(c);
    auto dm = (bool*)to_device(m), dv = (bool*)to_device(m), du = (bool*)to_device(z);
    bool* over;
    CHECK(cudaMalloc(&over, 1));
    bool go = true;
    int lv = 0;
    while (go) {
      go = false;
      CHECK(cudaMemcpy(over, &go, 1, cudaMemcpyHostToDevice));
      bfs1<<<8, 256>>>(dst, ded, dcn, dm, du, dv, dc, n);
      bfs2<<<8, 256>>>(dm, du, dv, over, n);
      CHECK(cudaMemcpy(&go, over, 1, cudaMemcpyDeviceToHost));
      ++lv;
    }
    EXPECT(lv > 3);
  }
  {
    std::vector<int> h(5000);
    for (auto& x : h) x = rnd() % 1000;
    auto d = to_device(h);
    int *o, *n;
    CHECK(cudaMalloc(&o, 20000));
    CHECK(cudaMalloc(&n, 4));
    CHECK(cudaMemset(n, 0, 4));
    compact<<<20, 256>>>(d, o, n, 5000);
    EXPECT(to_host(n, 1)[0] == std::count_if(h.begin(), h.end(), [](int x) { return x % 3 == 0; }));
    bitonic<<<1, 256>>>(d);
    auto s = to_host(d, 512);
    EXPECT(std::is_sorted(s.begin(), s.end()));
    blelloch<<<1, 256, 2048>>>(d, 512);
    auto q = to_host(d, 512);
    EXPECT(q[511] == std::accumulate(s.begin(), s.end() - 1, 0));
  }
  {
    int cap = 4096, n = 2000;
    std::vector<unsigned> k(n);
    for (auto& x : k) x = rnd() % 3000 + 1;
    auto d = to_device(k);
    Slot* t;
    CHECK(cudaMalloc(&t, cap * 8));
    CHECK(cudaMemset(t, 0, cap * 8));
    unsigned* o;
    CHECK(cudaMalloc(&o, 4 * n));
    insert<<<8, 256>>>(t, cap, d, n);
    lookup<<<8, 256>>>(t, cap, d, o, n);
    auto v = to_host(o, n);
    for (int i = 0; i < n; ++i) EXPECT(v[i] == 2 * k[i]);
  }
  {
    int tiles = 60;
    std::vector<int> h(tiles * 128);
    for (auto& x : h) x = rnd() % 9;
    auto d = to_device(h);
    int *o, *f;
    CHECK(cudaMalloc(&o, h.size() * 4));
    CHECK(cudaMalloc(&f, 4 * 200));
    CHECK(cudaMemset(f, 0, 800));
    lookback<<<tiles, 128>>>(d, o, f, f + 60, f + 120, f + 190);
    auto v = to_host(o, h.size());
    std::partial_sum(h.begin(), h.end(), h.begin());
    EXPECT(v == h);
  }
  {
    int n = 128;
    std::vector<float> a(n * n), b(n * n);
    for (auto& x : a) x = rnd() % 5;
    for (auto& x : b) x = rnd() % 5;
    auto da = to_device(a), db = to_device(b);
    float *c, *c2;
    CHECK(cudaMalloc(&c, n * n * 4));
    CHECK(cudaMalloc(&c2, n * n * 4));
    sgemm<16><<<dim3(8, 8), dim3(16, 16)>>>(da, db, c, n);
    sgemm_vec<<<dim3(2, 2), 256>>>((float4*)da, (float4*)db, (float4*)c2, n);
    EXPECT(to_host(c, n * n) == to_host(c2, n * n));
    sgemm<16><<<dim3(7, 7), dim3(16, 16)>>>(da, db, c, 100);
    CHECK(cudaDeviceSynchronize());
  }
  {
    int n = 60;
    std::vector<int> d(n * n);
    for (int i = 0; i < n * n; ++i) d[i] = i % (n + 1) == 0 ? 0 : rnd() % 100 + 1;
    auto p = to_device(d);
    for (int k = 0; k < n; ++k) floyd<<<dim3(1, n), 64>>>(p, n, k);
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    EXPECT(to_host(p, n * n) == d);
  }
  {
    int n = 500;
    std::vector<int> st{0}, to, w;
    for (int i = 0; i < n; ++i) {
      int k = rnd() % 4 + 1;
      while (k--) {
        to.push_back(rnd() % n);
        w.push_back(rnd() % 20 + 1);
      }
      st.push_back(to.size());
    }
    std::vector<int> di(n, 1 << 29);
    di[0] = 0;
    auto a = to_device(st), b = to_device(to), c = to_device(w), d = to_device(di);
    int* ch;
    CHECK(cudaMalloc(&ch, 4));
    int go = 1;
    while (go) {
      CHECK(cudaMemset(ch, 0, 4));
      sssp<<<2, 256>>>(a, b, c, d, ch, n);
      go = to_host(ch, 1)[0];
    }
  }
  {
    int n = 64;
    std::vector<unsigned char> h(n * n);
    for (auto& x : h) x = rnd() % 2;
    auto a = to_device(h), b = to_device(h);
    for (int i = 0; i < 6; ++i) {
      life<<<dim3(4, 8), dim3(16, 8)>>>(a, b, n);
      std::swap(a, b);
    }
    int* o;
    CHECK(cudaMalloc(&o, 1024));
    CHECK(cudaMemset(o, 0, 1024));
    hist<<<4, 128>>>(a, n * n, o);
    auto v = to_host(o, 256);
    EXPECT(std::accumulate(v.begin(), v.end(), 0) == n * n);
  }
  {
    std::vector<double> h(1000);
    for (auto& x : h) x = rnd() % 100000;
    auto d = to_device(h);
    double* o;
    CHECK(cudaMalloc(&o, 8));
    CHECK(cudaMemset(o, 0, 8));
    max_all<<<4, 256>>>(d, o, 1000);
    EXPECT(to_host(o, 1)[0] == *std::max_element(h.begin(), h.end()));
  }
  {
    std::vector<float> h(10 * 77);
    for (auto& x : h) x = rnd() % 10 * 0.3f;
    auto d = to_device(h);
    float* o;
    CHECK(cudaMalloc(&o, h.size() * 4));
    row_softmax<<<10, 32>>>(d, o, 77);
    auto v = to_host(o, 77);
    EXPECT(close(std::accumulate(v.begin(), v.end(), 0.0), 1));
    std::vector<float4> p(256, make_float4(1, 2, 3, 4));
    auto dp = to_device(p);
    float3* f;
    CHECK(cudaMalloc(&f, 12 * 256));
    nbody<<<4, 64>>>(dp, f, 256);
    EXPECT(to_host(f, 1)[0].x == 0);
  }
  return ok();
}

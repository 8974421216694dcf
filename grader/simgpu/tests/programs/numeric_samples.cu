// The toolkit's numeric samples in small: finance, random numbers, transforms, sorting networks, eigenvalues.
#include <algorithm>
#include <cfloat>
#include <cstdint>
#include <numeric>
#include "program.hpp"
// --- BlackScholes
__device__ inline float cnd(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d));
  float c =
      0.39894228040143267794f * __expf(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1 - c : c;
}
__launch_bounds__(128) __global__
    void black(float2* __restrict call, float2* __restrict put, const float2* __restrict s,
               const float2* __restrict x, const float2* __restrict t, float r, float v, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float2 c, p;
  auto f = [&](float S, float X, float T, float& C, float& P) {
    float q = __fsqrt_rn(T), d1 = __fdividef(__logf(S / X) + (r + 0.5f * v * v) * T, v * q), d2 = d1 - v * q,
          e = __expf(-r * T);
    C = S * cnd(d1) - X * e * cnd(d2);
    P = X * e * (1 - cnd(d2)) - S * (1 - cnd(d1));
  };
  f(s[i].x, x[i].x, t[i].x, c.x, p.x);
  f(s[i].y, x[i].y, t[i].y, c.y, p.y);
  call[i] = c;
  put[i] = p;
}
double cndd(double d) {
  return 0.5 * erfc(-d / std::sqrt(2.0));
}
void finance() {
  int n = 4096;
  std::vector<float> s(n), x(n), t(n);
  srand(5347);
  for (int i = 0; i < n; ++i)
    s[i] = 5 + 25.f * rand() / RAND_MAX, x[i] = 1 + 99.f * rand() / RAND_MAX,
    t[i] = 0.25f + 9.75f * rand() / RAND_MAX;
  float *ds = to_device(s), *dx = to_device(x), *dt = to_device(t), *c, *p;
  CHECK(cudaMalloc(&c, n * 4));
  CHECK(cudaMalloc(&p, n * 4));
  black<<<(n / 2 + 127) / 128, 128>>>((float2*)c, (float2*)p, (float2*)ds, (float2*)dx, (float2*)dt, 0.02f,
                                      0.3f, n);
  auto hc = to_host(c, n), hp = to_host(p, n);
  double e = 0, w = 0;
  for (int i = 0; i < n; ++i) {
    double q = std::sqrt(t[i]), d1 = (std::log(s[i] / x[i]) + (0.02 + 0.045) * t[i]) / (0.3 * q),
           d2 = d1 - 0.3 * q, C = s[i] * cndd(d1) - x[i] * std::exp(-0.02 * t[i]) * cndd(d2);
    e += std::fabs(C - hc[i]);
    w += C;
    (void)hp;
  }
  EXPECT(e / w < 1e-5);
  for (float* q : {ds, dx, dt, c, p}) cudaFree(q);
}
// --- binomial options
__constant__ struct { float S, X, vdt, pu, pd; } opt[8];
__device__ float result[8];
__device__ float payoff(float S, float X, float vdt, int i) {
  float d = S * __expf(vdt * (2.0f * i - 256)) - X;
  return d > 0 ? d : 0;
}
__global__ void binomial() {
  __shared__ float ex[128 + 1];
  int tid = threadIdx.x;
  auto o = opt[blockIdx.x];
  float call[3];
#pragma unroll
  for (int i = 0; i < 2; ++i) call[i] = payoff(o.S, o.X, o.vdt, tid * 2 + i);
  if (tid == 0) ex[128] = payoff(o.S, o.X, o.vdt, 256);
  int fin = max(0, tid * 2 - 1);
  for (int i = 256; i > 0; --i) {
    ex[tid] = call[0];
    __syncthreads();
    call[2] = ex[tid + 1];
    __syncthreads();
    if (i > fin) {
#pragma unroll
      for (int j = 0; j < 2; ++j) call[j] = o.pu * call[j + 1] + o.pd * call[j];
    }
  }
  if (tid == 0) result[blockIdx.x] = call[0];
}
void trees() {
  struct {
    float S, X, vdt, pu, pd;
  } h[8];
  double want[8];
  for (int k = 0; k < 8; ++k) {
    double S = 10 + k, X = 12, T = 1 + k * 0.3, R = 0.06, V = 0.1, dt = T / 256, vdt = V * std::sqrt(dt),
           If = std::exp(R * dt), Df = std::exp(-R * dt), u = std::exp(vdt), d = std::exp(-vdt),
           pu = (If - d) / (u - d);
    h[k] = {(float)S, (float)X, (float)vdt, (float)(pu * Df), (float)((1 - pu) * Df)};
    std::vector<double> c(257);
    for (int i = 0; i <= 256; ++i) c[i] = std::max(0.0, S * std::exp(vdt * (2.0 * i - 256)) - X);
    for (int i = 256; i > 0; --i)
      for (int j = 0; j < i; ++j) c[j] = pu * Df * c[j + 1] + (1 - pu) * Df * c[j];
    want[k] = c[0];
  }
  CHECK(cudaMemcpyToSymbol(opt, h, sizeof h));
  binomial<<<8, 128>>>();
  float r[8];
  CHECK(cudaMemcpyFromSymbol(r, result, sizeof r));
  for (int k = 0; k < 8; ++k) EXPECT(close(r[k], want[k], 2e-3));
}
// --- Niederreiter-like quasirandom and Sobol direction vectors; Moro inverse
static __constant__ unsigned qtab[3][31];
__global__ void quasi(float* out, int n) {
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += blockDim.x * gridDim.x) {
    unsigned r = 0, d = p;
    for (int b = 0; b < 31; ++b, d >>= 1)
      if (d & 1) r ^= qtab[threadIdx.y][b];
    out[threadIdx.y * n + p] = (float)(r + 1) * (1.0f / 2147483648.0f);
  }
}
__global__ void sobol(const unsigned* dir, float* out, int n, int dims) {
  __shared__ unsigned v[32];
  dir += 32 * blockIdx.y;
  out += n * blockIdx.y;
  if (threadIdx.x < 32) v[threadIdx.x] = dir[threadIdx.x];
  __syncthreads();
  int i0 = threadIdx.x + blockIdx.x * blockDim.x, stride = gridDim.x * blockDim.x;
  unsigned g = i0 ^ (i0 >> 1), X = 0;
  for (int k = 0; k < __ffs(stride) - 1; ++k) {
    X ^= (-(int)(g & 1)) & v[k];
    g >>= 1;
  }
  unsigned mask;
  if (i0 < n) out[i0] = X * 2.3283064365387e-10f;
  unsigned vs = 0;
  (void)mask;
  (void)vs;
  unsigned full = 0;
  for (int i = i0 + stride; i < n; i += stride) {
    full = 0;
    unsigned gg = i ^ (i >> 1);
    for (int k = 0; k < 32; ++k)
      if (gg >> k & 1) full ^= v[k];
    out[i] = full * 2.3283064365387e-10f;
  }
}
void randoms() {
  unsigned q[3][31];
  for (int d = 0; d < 3; ++d)
    for (int b = 0; b < 31; ++b)
      q[d][b] = (d == 0 ? 1u << (30 - b) : (2654435761u * (b + 1 + 31 * d)) & 0x7fffffff);
  CHECK(cudaMemcpyToSymbol(qtab, q, sizeof q));
  int n = 3000;
  float* o;
  CHECK(cudaMalloc(&o, 3 * n * 4));
  CHECK(cudaMemset(o, 0, 3 * n * 4));
  quasi<<<7, dim3(128, 3)>>>(o, n);
  auto h = to_host(o, 3 * n);
  for (int d = 0; d < 3; ++d)
    for (int p = 0; p < n; ++p) {
      unsigned r = 0;
      for (int b = 0; b < 31; ++b)
        if (p >> b & 1) r ^= q[d][b];
      EXPECT(h[d * n + p] == (float)(r + 1) * (1.0f / 2147483648.0f));
    }
  std::vector<unsigned> dir(64);
  for (int k = 0; k < 64; ++k) dir[k] = 1u << (31 - k % 32) | (k > 32 ? 0x5a5a5a << (k % 7) : 0);
  unsigned* dd = to_device(dir);
  sobol<<<dim3(4, 2), 64>>>(dd, o, n, 2);
  h = to_host(o, 2 * n);
  for (int d = 0; d < 2; ++d)
    for (int i = 0; i < n; ++i) {
      unsigned g = i ^ (i >> 1), X = 0;
      for (int k = 0; k < 32; ++k)
        if (g >> k & 1) X ^= dir[d * 32 + k];
      EXPECT(h[d * n + i] == X * 2.3283064365387e-10f);
    }
  cudaFree(o);
  cudaFree(dd);
}
// --- fast Walsh transform
__global__ void fwt_shared(float* out, const float* in, int lg) {
  extern __shared__ float s[];
  int N = 1 << lg, base = blockIdx.x << lg;
  for (int p = threadIdx.x; p < N; p += blockDim.x) s[p] = in[base + p];
  const int pos = threadIdx.x;
  for (int stride = N >> 2; stride > 0; stride >>= 2) {
    int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride,
        i3 = i2 + stride;
    __syncthreads();
    float d0 = s[i0], d1 = s[i1], d2 = s[i2], d3 = s[i3], t;
    t = d0;
    d0 += d2;
    d2 = t - d2;
    t = d1;
    d1 += d3;
    d3 = t - d3;
    t = d0;
    s[i0] = d0 + d1;
    s[i1] = t - d1;
    t = d2;
    s[i2] = d2 + d3;
    s[i3] = t - d3;
  }
  if (lg & 1) {
    __syncthreads();
    for (int p = threadIdx.x; p < N / 2; p += blockDim.x) {
      int i0 = p << 1, i1 = i0 + 1;
      float a = s[i0], b = s[i1];
      s[i0] = a + b;
      s[i1] = a - b;
    }
  }
  __syncthreads();
  for (int p = threadIdx.x; p < N; p += blockDim.x) out[base + p] = s[p];
}
void walsh() {
  for (int lg : {10, 11}) {
    int n = 1 << lg;
    std::vector<float> a(2 * n);
    for (int i = 0; i < 2 * n; ++i) a[i] = (i * 37) % 11;
    float *d = to_device(a), *o;
    CHECK(cudaMalloc(&o, 8 * n));
    fwt_shared<<<2, n / 4, n * 4>>>(o, d, lg);
    auto h = to_host(o, 2 * n);
    for (int b = 0; b < 2; ++b) {
      std::vector<float> x(a.begin() + b * n, a.begin() + b * n + n);
      for (int s = n / 2; s > 0; s /= 2)
        for (int i = 0; i < n; i += 2 * s)
          for (int j = 0; j < s; ++j) {
            float u = x[i + j], v = x[i + j + s];
            x[i + j] = u + v;
            x[i + j + s] = u - v;
          }
      for (int i = 0; i < n; ++i) EXPECT(h[b * n + i] == x[i]);
    }
    cudaFree(d);
    cudaFree(o);
  }
}
// --- bitonic and odd-even merge sort of key/value pairs in shared memory and global memory
__device__ void cmp(unsigned& ka, unsigned& va, unsigned& kb, unsigned& vb, unsigned dir) {
  if ((ka > kb) == dir) {
    unsigned t = ka;
    ka = kb;
    kb = t;
    t = va;
    va = vb;
    vb = t;
  }
}
__global__ void bitonic_shared(unsigned* dk, unsigned* dv, const unsigned* sk, const unsigned* sv,
                               unsigned len, unsigned dir) {
  __shared__ unsigned k[512], v[512];
  sk += blockIdx.x * 512 + threadIdx.x;
  sv += blockIdx.x * 512 + threadIdx.x;
  dk += blockIdx.x * 512 + threadIdx.x;
  dv += blockIdx.x * 512 + threadIdx.x;
  k[threadIdx.x] = sk[0];
  v[threadIdx.x] = sv[0];
  k[threadIdx.x + 256] = sk[256];
  v[threadIdx.x + 256] = sv[256];
  for (unsigned size = 2; size < len; size <<= 1) {
    unsigned dd = dir ^ ((threadIdx.x & (size / 2)) != 0);
    for (unsigned st = size / 2; st > 0; st >>= 1) {
      __syncthreads();
      unsigned p = 2 * threadIdx.x - (threadIdx.x & (st - 1));
      cmp(k[p], v[p], k[p + st], v[p + st], dd);
    }
  }
  for (unsigned st = len / 2; st > 0; st >>= 1) {
    __syncthreads();
    unsigned p = 2 * threadIdx.x - (threadIdx.x & (st - 1));
    cmp(k[p], v[p], k[p + st], v[p + st], dir);
  }
  __syncthreads();
  dk[0] = k[threadIdx.x];
  dv[0] = v[threadIdx.x];
  dk[256] = k[threadIdx.x + 256];
  dv[256] = v[threadIdx.x + 256];
}
__global__ void odd_even(unsigned* k, unsigned* v, unsigned size, unsigned stride, unsigned dir, unsigned n) {
  unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned p = 2 * g - (g & (stride - 1));
  if (stride < size / 2) {
    unsigned off = g & (size / 2 - 1);
    if (off >= stride) cmp(k[p - stride], v[p - stride], k[p], v[p], dir);
  } else
    cmp(k[p], v[p], k[p + stride], v[p + stride], dir);
}
void networks() {
  int n = 4096;
  std::vector<unsigned> k(n), v(n);
  for (int i = 0; i < n; ++i) k[i] = rand() % 65536, v[i] = i;
  unsigned *dk = to_device(k), *dv = to_device(v), *ok_, *ov;
  CHECK(cudaMalloc(&ok_, n * 4));
  CHECK(cudaMalloc(&ov, n * 4));
  bitonic_shared<<<n / 512, 256>>>(ok_, ov, dk, dv, 512, 1);
  auto hk = to_host(ok_, n), hv = to_host(ov, n);
  for (int i = 0; i < n; ++i) {
    EXPECT(k[hv[i]] == hk[i]);
    if (i % 512) EXPECT(hk[i - 1] <= hk[i]);
  }
  for (unsigned size = 2; size <= (unsigned)n; size <<= 1)
    for (unsigned st = size / 2; st > 0; st >>= 1) odd_even<<<n / 2 / 256, 256>>>(dk, dv, size, st, 1, n);
  hk = to_host(dk, n), hv = to_host(dv, n);
  for (int i = 0; i < n; ++i) {
    EXPECT(k[hv[i]] == hk[i]);
    if (i) EXPECT(hk[i - 1] <= hk[i]);
  }
  for (auto p : {dk, dv, ok_, ov}) cudaFree(p);
}
// --- eigenvalues of a symmetric tridiagonal matrix by bisection (Sturm counts)
__global__ void bisect(const float* g_d, const float* g_s, float* ev, int n, float lo, float hi) {
  __shared__ float d[64], s[64];
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = g_d[i], s[i] = i ? g_s[i] : 0;
  __syncthreads();
  int k = threadIdx.x;
  if (k >= n) return;
  float l = lo, h = hi;
  for (int it = 0; it < 50; ++it) {
    float m = 0.5f * (l + h);
    int c = 0;
    float q = 1;
    for (int i = 0; i < n; ++i) {
      q = d[i] - m - (i ? s[i] * s[i] / q : 0);
      if (q == 0) q = FLT_MIN;
      c += q < 0;
    }
    if (c > k)
      h = m;
    else
      l = m;
  }
  ev[k] = 0.5f * (l + h);
}
void eigen() {
  int n = 48;
  std::vector<float> d(n, 2.0f), s(n, -1.0f);
  float *dd = to_device(d), *ds = to_device(s), *ev;
  CHECK(cudaMalloc(&ev, n * 4));
  bisect<<<1, 64>>>(dd, ds, ev, n, -1, 5);
  auto h = to_host(ev, n);
  for (int k = 0; k < n; ++k) EXPECT(std::fabs(h[k] - (2 - 2 * std::cos(M_PI * (k + 1) / (n + 1)))) < 1e-4);
  cudaFree(dd), cudaFree(ds), cudaFree(ev);
}
// --- Haar wavelet
__global__ void haar(const float* id, float* od, float* approx, int levels, int half) {
  extern __shared__ float sh[];
  int t = threadIdx.x, g = blockIdx.x * blockDim.x + t;
  sh[t] = id[2 * blockIdx.x * blockDim.x + t];
  sh[t + blockDim.x] = id[2 * blockIdx.x * blockDim.x + blockDim.x + t];
  __syncthreads();
  float a = sh[2 * t], b = sh[2 * t + 1];
  __syncthreads();
  od[g + half] = (a - b) * 0.70710678f;
  sh[t] = (a + b) * 0.70710678f;
  __syncthreads();
  int act = blockDim.x >> 1, off = half;
  for (int l = 1; l < levels; ++l) {
    off >>= 1;
    if (t < act) {
      a = sh[2 * t];
      b = sh[2 * t + 1];
    }
    __syncthreads();
    if (t < act) {
      od[off + blockIdx.x * act + t] = (a - b) * 0.70710678f;
      sh[t] = (a + b) * 0.70710678f;
    }
    act >>= 1;
    __syncthreads();
  }
  if (t == 0) approx[blockIdx.x] = sh[0];
}
void wavelets() {
  int n = 1024;
  std::vector<float> x(n);
  for (int i = 0; i < n; ++i) x[i] = (i * 13) % 29;
  float *d = to_device(x), *o, *ap;
  CHECK(cudaMalloc(&o, n * 4));
  CHECK(cudaMalloc(&ap, 64));
  haar<<<1, 512, 4096>>>(d, o, ap, 10, 512);
  std::vector<float> r(n), cur = x;
  int len = n;
  while (len > 1) {
    std::vector<float> nx(len / 2);
    for (int i = 0; i < len / 2; ++i)
      nx[i] = (cur[2 * i] + cur[2 * i + 1]) * 0.70710678f,
      r[len / 2 + i] = (cur[2 * i] - cur[2 * i + 1]) * 0.70710678f;
    cur = nx;
    len /= 2;
  }
  CHECK(cudaMemcpy(o, ap, 4, cudaMemcpyDeviceToDevice));
  auto h = to_host(o, n);
  for (int i = 1; i < n; ++i) EXPECT(std::fabs(h[i] - r[i]) < 1e-3);
  EXPECT(std::fabs(h[0] - cur[0]) < 1e-2);
  cudaFree(d), cudaFree(o), cudaFree(ap);
}
// --- 8x8 DCT with textures-free shared version; double inverse check
__global__ void dct(const float* in, float* out, int w, bool inv) {
  __shared__ float a[8][9], b[8][9];
  int x = threadIdx.x, y = threadIdx.y, X = blockIdx.x * 8 + x, Y = blockIdx.y * 8 + y;
  a[y][x] = in[Y * w + X];
  __syncthreads();
  auto c = [](int k, int i) { return (k ? 0.5f : 0.35355339f) * cospif((2 * i + 1) * k / 16.0f); };
  float s = 0;
  for (int i = 0; i < 8; ++i) s += inv ? c(i, x) * a[y][i] : c(x, i) * a[y][i];
  b[y][x] = s;
  __syncthreads();
  s = 0;
  for (int i = 0; i < 8; ++i) s += inv ? c(i, y) * b[i][x] : c(y, i) * b[i][x];
  out[Y * w + X] = s;
}
void dcts() {
  int w = 64;
  std::vector<float> x(w * w);
  for (int i = 0; i < w * w; ++i) x[i] = (i * 31) % 255;
  float *d = to_device(x), *o;
  CHECK(cudaMalloc(&o, w * w * 4));
  dct<<<dim3(8, 8), dim3(8, 8)>>>(d, o, w, false);
  CHECK(cudaMemset(d, 0, 4));
  dct<<<dim3(8, 8), dim3(8, 8)>>>(o, d, w, true);
  auto h = to_host(d, w * w);
  for (int i = 0; i < w * w; ++i) EXPECT(std::fabs(h[i] - x[i]) < 1e-2);
  cudaFree(d), cudaFree(o);
}
// --- scalarProd with strided accumulators and threadFenceReduction
__global__ void scalar_prod(float* c, const float* a, const float* b, int vecs, int n) {
  __shared__ float acc[256];
  for (int v = blockIdx.x; v < vecs; v += gridDim.x) {
    int base = n * v;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
      float s = 0;
      for (int p = base + i; p < base + n; p += 256) s += a[p] * b[p];
      acc[i] = s;
    }
    for (int st = 128; st > 0; st >>= 1) {
      __syncthreads();
      for (int i = threadIdx.x; i < st; i += blockDim.x) acc[i] += acc[st + i];
    }
    __syncthreads();
    if (threadIdx.x == 0) c[v] = acc[0];
    __syncthreads();
  }
}
__device__ unsigned retired = 0;
__global__ void fence_reduce(const float* in, float* out, int n) {
  __shared__ float s[256];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 128; k; k /= 2) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = s[0];
    __threadfence();
    unsigned t = atomicInc(&retired, gridDim.x);
    last = t == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float x = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += 256) x += ((volatile float*)out)[i];
    s[threadIdx.x] = x;
    __syncthreads();
    for (int k = 128; k; k /= 2) {
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      out[0] = s[0];
      retired = 0;
    }
  }
}
void products() {
  int n = 1024, m = 40;
  std::vector<float> a(n * m), b(n * m);
  for (int i = 0; i < n * m; ++i) a[i] = i % 7, b[i] = i % 3;
  float *da = to_device(a), *db = to_device(b), *c;
  CHECK(cudaMalloc(&c, 4096));
  scalar_prod<<<16, 128>>>(c, da, db, m, n);
  auto h = to_host(c, m);
  for (int v = 0; v < m; ++v) {
    double s = 0;
    for (int i = 0; i < n; ++i) s += a[v * n + i] * b[v * n + i];
    EXPECT(h[v] == (float)s);
  }
  for (int r = 0; r < 3; ++r) {
    fence_reduce<<<64, 256>>>(da, c, n * m);
    EXPECT(to_host(c, 1)[0] == (float)std::accumulate(a.begin(), a.end(), 0.0));
  }
  cudaFree(da), cudaFree(db), cudaFree(c);
}
// --- mandelbrot with dynamic block fetch; nbody half-warp; mergeSort by ranks; histogram256 per-warp
__device__ unsigned next_block;
__global__ void mandel(uchar4* img, int w, int h, int nb) {
  __shared__ unsigned b, bx, by;
  while (1) {
    if (threadIdx.x == 0 && threadIdx.y == 0) {
      b = atomicAdd(&next_block, 1);
      bx = b % (w / 16);
      by = b / (w / 16);
    }
    __syncthreads();
    if (b >= nb) break;
    int x = bx * 16 + threadIdx.x, y = by * 16 + threadIdx.y;
    float cx = -2 + 3.0f * x / w, cy = -1 + 2.0f * y / h, zx = 0, zy = 0;
    int i = 0;
    for (; i < 100 && zx * zx + zy * zy < 4; ++i) {
      float t = zx * zx - zy * zy + cx;
      zy = 2 * zx * zy + cy;
      zx = t;
    }
    img[y * w + x] = make_uchar4(i, i * 2, i * 3, 255);
    __syncthreads();
  }
}
__global__ void hist(unsigned* part, const unsigned* data, unsigned n) {
  __shared__ unsigned s[6 * 256];
  unsigned* w = s + (threadIdx.x >> 5) * 256;
  for (int i = 0; i < 8; ++i) s[threadIdx.x + i * 192] = 0;
  __syncthreads();
  for (unsigned p = blockIdx.x * blockDim.x + threadIdx.x; p < n; p += gridDim.x * blockDim.x) {
    unsigned d = data[p];
    atomicAdd(w + (d & 255), 1);
    atomicAdd(w + (d >> 8 & 255), 1);
    atomicAdd(w + (d >> 16 & 255), 1);
    atomicAdd(w + (d >> 24), 1);
  }
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 256; b += 192) {
    unsigned t = 0;
    for (int i = 0; i < 6; ++i) t += s[b + i * 256];
    part[blockIdx.x * 256 + b] = t;
  }
}
__global__ void hist_merge(unsigned* out, const unsigned* part, unsigned n) {
  unsigned sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += 256) sum += part[blockIdx.x + i * 256];
  __shared__ unsigned d[256];
  d[threadIdx.x] = sum;
  for (unsigned st = 128; st > 0; st >>= 1) {
    __syncthreads();
    if (threadIdx.x < st) d[threadIdx.x] += d[threadIdx.x + st];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = d[0];
}
void pictures() {
  int w = 128, h = 64;
  uchar4* img;
  CHECK(cudaMalloc(&img, w * h * 4));
  unsigned zero = 0;
  CHECK(cudaMemcpyToSymbol(next_block, &zero, 4));
  mandel<<<6, dim3(16, 16)>>>(img, w, h, (w / 16) * (h / 16));
  auto im = to_host(img, w * h);
  EXPECT(im[32 * w + 85].x == 100);
  EXPECT(im[0].x < 3);
  std::vector<unsigned> v(10000);
  for (auto& x : v) x = rand();
  unsigned *d = to_device(v), *p, *o;
  CHECK(cudaMalloc(&p, 24 * 1024));
  CHECK(cudaMalloc(&o, 1024));
  hist<<<24, 192>>>(p, d, v.size());
  hist_merge<<<256, 256>>>(o, p, 24);
  auto r = to_host(o, 256);
  std::vector<unsigned> want(256);
  for (unsigned x : v)
    for (int k = 0; k < 4; ++k) ++want[x >> (8 * k) & 255];
  EXPECT(r == want);
  cudaFree(img), cudaFree(d), cudaFree(p), cudaFree(o);
}
int main() {
  finance();
  trees();
  randoms();
  walsh();
  networks();
  eigen();
  wavelets();
  dcts();
  products();
  pictures();
  return ok();
}

/// @file
/// Memory seen as another type than it was written as, padding, parts that nobody wrote and nobody uses, equal values
/// from many threads, memory that a stream gives and takes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include "program.hpp"
extern __shared__ unsigned char dyn[];
__global__ void bytewise(const unsigned char* in, unsigned* out) {
  for (int i = 0; i < 4; ++i) dyn[threadIdx.x * 4 + i] = in[threadIdx.x * 4 + i];
  __syncthreads();
  out[threadIdx.x] = reinterpret_cast<unsigned*>(dyn)[blockDim.x - 1 - threadIdx.x];
}
__global__ void carve(const double* in, double* out, int n) {
  double* a = reinterpret_cast<double*>(dyn);
  int* b = reinterpret_cast<int*>(a + n);
  short* c = reinterpret_cast<short*>(b + n);
  __shared__ float extra[64];
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = t;
  c[t] = t * 2;
  extra[t] = t * 0.5f;
  __syncthreads();
  int r = n - 1 - t;
  out[t] = a[r] + b[r] + c[r] + extra[r];
}
union U {
  float f;
  unsigned u;
  unsigned char c[4];
};
__global__ void unions(const float* in, unsigned* out) {
  U u;
  u.f = in[threadIdx.x];
  U v;
  v.c[0] = u.c[3];
  v.c[1] = u.c[2];
  v.c[2] = u.c[1];
  v.c[3] = u.c[0];
  __shared__ U s[64];
  s[threadIdx.x] = v;
  __syncthreads();
  out[threadIdx.x] = s[63 - threadIdx.x].u;
}
struct Bits {
  unsigned a : 5, b : 11, c : 16;
  int d : 7;
};
__global__ void bits(Bits* x) {
  Bits b = x[threadIdx.x];
  b.a += 1;
  b.b ^= 0x3f;
  b.c = b.a * b.b;
  b.d = -3;
  x[threadIdx.x] = b;
}
struct Pad {
  char c;
  double d;
  short s;
};
struct Pad3 {
  float x, y, z;
  char t;
};
__global__ void padfill(Pad* p, Pad3* q) {
  Pad v;
  v.c = threadIdx.x;
  v.d = threadIdx.x * 2.0;
  v.s = 3;
  p[threadIdx.x] = v;
  Pad3 w;
  w.x = 1;
  w.y = 2;
  w.z = threadIdx.x;
  w.t = 4;
  q[threadIdx.x] = w;
}
__global__ void padcopy(const Pad* p, Pad* o, const Pad3* q, Pad3* oq) {
  __shared__ Pad s[64];
  __shared__ Pad3 s3[64];
  s[threadIdx.x] = p[threadIdx.x];
  s3[threadIdx.x] = q[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[63 - threadIdx.x];
  oq[threadIdx.x] = s3[63 - threadIdx.x];
}
struct alignas(16) Rec {
  float x, y, z;
};  // 4 bytes of padding, loaded by ld.v4
__global__ void recfill(Rec* r) {
  r[threadIdx.x].x = 1;
  r[threadIdx.x].y = threadIdx.x;
  r[threadIdx.x].z = 3;
}
__global__ void reccopy(const Rec* r, Rec* o) {
  o[threadIdx.x] = r[threadIdx.x];
}
__global__ void recsum(const Rec* r, float* o) {
  Rec a = r[threadIdx.x];
  o[threadIdx.x] = a.x + a.y + a.z;
}
__global__ void wide(const float4* in, float* out, int n) {
  float4 v = in[threadIdx.x];
  float s = v.x;
  int b = 4 * threadIdx.x;
  if (b + 1 < n) s += v.y;
  if (b + 2 < n) s += v.z;
  if (b + 3 < n) s += v.w;
  out[threadIdx.x] = s;
}
__global__ void memcopies(const char* in, char* out) {
  char tmp[37];
  memcpy(tmp, in + threadIdx.x * 37, 37);
  for (int i = 0; i < 37; ++i) tmp[i] ^= 1;
  memcpy(out + threadIdx.x * 37, tmp, 37);
}
__global__ void locals(const int* in, int* out, int n) {
  int a[32];
  for (int i = 0; i < n; ++i) a[i] = in[i] * 2;
  int s = 0;
  for (int i = 0; i < n; ++i) s += a[(i * 7 + threadIdx.x) % n];
  out[threadIdx.x] = s;
}
struct Big {
  int v[40];
};
__global__ void params(Big b, int* out, int k) {
  out[threadIdx.x] = b.v[(threadIdx.x + k) % 40];
}
__global__ void same_value(int* flag, const int* in) {
  if (in[threadIdx.x + blockIdx.x * blockDim.x] > 10) *flag = 1;
}
__global__ void same_value_shared(int* out, const int* in) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (in[threadIdx.x] > 10) any = 1;
  __syncthreads();
  out[threadIdx.x] = any;
}
__global__ void count_atomic(int* c) {
  atomicAdd(c, 1);
}
__global__ void read_plain(const int* c, int* o) {
  o[threadIdx.x] = *c;
}
__global__ void halves(const __half2* a, __half2* o, __nv_bfloat16* b, __nv_fp8_e4m3* f) {
  int i = threadIdx.x;
  o[i] = __hfma2(a[i], a[i], __float2half2_rn(1.f));
  b[i] = __float2bfloat16(float(i) * 0.25f) + __float2bfloat16(1.f);
  f[i] = __nv_fp8_e4m3(float(i % 16));
}
__global__ void fp8back(const __nv_fp8_e4m3* f, const __nv_bfloat16* b, float* o) {
  o[threadIdx.x] = float(f[threadIdx.x]) + __bfloat162float(b[threadIdx.x]);
}
__global__ void strides(char* p, int pitch, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x;
  if (x < w && y < h) reinterpret_cast<int*>(p + size_t(y) * pitch)[x] = x + y;
}
__global__ void short_pack(const short* in, int n, int* out) {
  const short2* p = reinterpret_cast<const short2*>(in);
  int i = threadIdx.x;
  if (i < n / 2) {
    short2 v = p[i];
    out[i] = v.x * v.y;
  } else if (i == n / 2 && n % 2)
    out[i] = in[n - 1];
}
int main() {
  {
    std::vector<unsigned char> h(512);
    for (int i = 0; i < 512; ++i) h[i] = i * 7;
    auto d = to_device(h);
    unsigned* o;
    CHECK(cudaMalloc(&o, 512));
    bytewise<<<1, 128, 512>>>(d, o);
    auto r = to_host(o, 128);
    for (int i = 0; i < 128; ++i) EXPECT(r[i] == reinterpret_cast<unsigned*>(h.data())[127 - i]);
  }
  {
    std::vector<double> h(64, 1.5);
    auto d = to_device(h);
    double* o;
    CHECK(cudaMalloc(&o, 512));
    carve<<<1, 64, 64 * 14>>>(d, o, 64);
    auto r = to_host(o, 64);
    for (int i = 0; i < 64; ++i) EXPECT(r[i] == 1.5 + 3.5 * (63 - i));
  }
  {
    std::vector<float> h(64);
    for (int i = 0; i < 64; ++i) h[i] = i * 1.7f;
    auto d = to_device(h);
    unsigned* o;
    CHECK(cudaMalloc(&o, 256));
    unions<<<1, 64>>>(d, o);
    auto r = to_host(o, 64);
    for (int i = 0; i < 64; ++i) {
      unsigned u;
      memcpy(&u, &h[63 - i], 4);
      EXPECT(r[i] == __builtin_bswap32(u));
    }
  }
  {
    std::vector<Bits> h(32);
    for (int i = 0; i < 32; ++i) {
      memset(&h[i], 0, sizeof(Bits));
      h[i].a = i;
      h[i].b = i * 3;
    }
    auto d = to_device(h);
    bits<<<1, 32>>>(d);
    auto r = to_host(d, 32);
    for (int i = 0; i < 32; ++i) {
      Bits b = h[i];
      b.a += 1;
      b.b ^= 0x3f;
      b.c = b.a * b.b;
      EXPECT(r[i].a == b.a && r[i].b == b.b && r[i].c == b.c && r[i].d == -3);
    }
  }
  {
    Pad *p, *o;
    Pad3 *q, *oq;
    CHECK(cudaMalloc(&p, 64 * sizeof(Pad)));
    CHECK(cudaMalloc(&o, 64 * sizeof(Pad)));
    CHECK(cudaMalloc(&q, 64 * sizeof(Pad3)));
    CHECK(cudaMalloc(&oq, 64 * sizeof(Pad3)));
    padfill<<<1, 64>>>(p, q);
    padcopy<<<1, 64>>>(p, o, q, oq);
    auto r = to_host(o, 64);
    auto s = to_host(oq, 64);
    for (int i = 0; i < 64; ++i)
      EXPECT(r[i].d == 2.0 * (63 - i) && r[i].c == 63 - i && s[i].z == 63 - i && s[i].t == 4);
  }
  {
    Rec *a, *b;
    float* f;
    CHECK(cudaMalloc(&a, 64 * 16));
    CHECK(cudaMalloc(&b, 64 * 16));
    CHECK(cudaMalloc(&f, 256));
    recfill<<<1, 64>>>(a);
    reccopy<<<1, 64>>>(a, b);
    recsum<<<1, 64>>>(b, f);
    CHECK(cudaMemcpy(a, b, 1024, cudaMemcpyDeviceToDevice));
    auto r = to_host(f, 64);
    auto s = to_host(a, 64);
    for (int i = 0; i < 64; ++i) EXPECT(r[i] == i + 4 && s[i].y == i);
  }
  {
    float* d;
    CHECK(cudaMalloc(&d, 256));
    std::vector<float> h(50, 2.f);
    CHECK(cudaMemcpy(d, h.data(), 200, cudaMemcpyHostToDevice));
    float* o;
    CHECK(cudaMalloc(&o, 64));
    wide<<<1, 13>>>((float4*)d, o, 50);
    auto r = to_host(o, 13);
    EXPECT(r[12] == 4 && r[11] == 8);
  }
  {
    std::vector<char> h(37 * 32);
    for (size_t i = 0; i < h.size(); ++i) h[i] = i;
    auto d = to_device(h);
    char* o;
    CHECK(cudaMalloc(&o, h.size()));
    memcopies<<<1, 32>>>(d, o);
    auto r = to_host(o, h.size());
    for (size_t i = 0; i < h.size(); ++i) EXPECT(r[i] == (h[i] ^ 1));
  }
  {
    std::vector<int> h(32);
    for (int i = 0; i < 32; ++i) h[i] = i;
    auto d = to_device(h);
    int* o;
    CHECK(cudaMalloc(&o, 128));
    locals<<<1, 32>>>(d, o, 20);
    EXPECT(to_host(o, 32)[3] == 380);
    Big b;
    for (int i = 0; i < 40; ++i) b.v[i] = i * i;
    params<<<1, 32>>>(b, o, 5);
    auto r = to_host(o, 32);
    EXPECT(r[3] == 64);
    int* f;
    CHECK(cudaMalloc(&f, 4));
    CHECK(cudaMemset(f, 0, 4));
    same_value<<<1, 32>>>(f, d);
    EXPECT(to_host(f, 1)[0] == 1);
    same_value_shared<<<1, 32>>>(o, d);
    EXPECT(to_host(o, 1)[0] == 1);
    CHECK(cudaMemset(f, 0, 4));
    count_atomic<<<20, 64>>>(f);
    read_plain<<<1, 32>>>(f, o);
    EXPECT(to_host(o, 32)[31] == 1280);
  }
  {
    std::vector<__half2> h(64, __half2(__float2half(1.5f), __float2half(2.f)));
    auto d = to_device(h);
    __half2* o;
    __nv_bfloat16* b;
    __nv_fp8_e4m3* f;
    float* x;
    CHECK(cudaMalloc(&o, 256));
    CHECK(cudaMalloc(&b, 128));
    CHECK(cudaMalloc(&f, 64));
    CHECK(cudaMalloc(&x, 256));
    halves<<<1, 64>>>(d, o, b, f);
    fp8back<<<1, 64>>>(f, b, x);
    auto r = to_host(o, 64);
    EXPECT(__half2float(r[5].x) == 3.25f && __half2float(r[5].y) == 5.f);
    auto q = to_host(x, 64);
    for (int i = 0; i < 64; ++i) EXPECT(q[i] == i % 16 + 1 + i * 0.25f);
  }
  {
    char* p;
    size_t pitch;
    CHECK(cudaMallocPitch((void**)&p, &pitch, 37 * 4, 19));
    strides<<<19, 64>>>(p, pitch, 37, 19);
    std::vector<int> h(37 * 19);
    CHECK(cudaMemcpy2D(h.data(), 148, p, pitch, 148, 19, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 37 * 19; ++i) EXPECT(h[i] == i % 37 + i / 37);
    CHECK(cudaFree(p));
  }
  {
    std::vector<short> h(101);
    for (int i = 0; i < 101; ++i) h[i] = i;
    auto d = to_device(h);
    int* o;
    CHECK(cudaMalloc(&o, 204));
    short_pack<<<1, 64>>>(d, 101, o);
    auto r = to_host(o, 51);
    EXPECT(r[49] == 98 * 99 && r[50] == 100);
  }
  {
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (int k = 0; k < 4; ++k) {
      int *a, *b;
      CHECK(cudaMallocAsync(&a, 4096, s));
      CHECK(cudaMallocAsync(&b, 128, s));
      CHECK(cudaMemsetAsync(a, k, 4096, s));
      read_plain<<<1, 32, 0, s>>>(a, b);
      CHECK(cudaFreeAsync(a, s));
      int h[32];
      CHECK(cudaMemcpyAsync(h, b, 128, cudaMemcpyDeviceToHost, s));
      CHECK(cudaFreeAsync(b, s));
      CHECK(cudaStreamSynchronize(s));
      EXPECT(h[31] == k * 0x01010101);
    }
    CHECK(cudaStreamDestroy(s));
  }
  {
    int* m;
    CHECK(cudaMalloc(&m, 1024));
    CHECK(cudaMemset(m, 0, 512));
    int* o;
    CHECK(cudaMalloc(&o, 128));
    read_plain<<<1, 32>>>(m + 127, o);
    EXPECT(to_host(o, 1)[0] == 0);
    CHECK(cudaMemset2D(m + 128, 64, 0, 32, 8));
    read_plain<<<1, 32>>>(m + 128 + 16 * 7 + 7, o);
    EXPECT(to_host(o, 1)[0] == 0);
  }
  return ok();
}

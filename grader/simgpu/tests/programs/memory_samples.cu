// Kinds of memory and copies: zero-copy, registered, write-combined, pitched, 3D, pools, managed; bandwidths that make sense.
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include "program.hpp"
__global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void inc(int* p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) p[i] += 1;
}
__global__ void pitched(const char* in, size_t pin, char* out, size_t pout, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < w && y < h) ((float*)(out + y * pout))[x] = 2 * ((const float*)(in + y * pin))[w - 1 - x];
}
__global__ void box3(cudaPitchedPtr p, int w, int h, int d) {
  for (int z = 0; z < d; ++z)
    for (int y = 0; y < h; ++y) {
      float* row = (float*)((char*)p.ptr + (z * p.ysize + y) * p.pitch);
      for (int x = threadIdx.x; x < w; x += blockDim.x) row[x] += z * 100 + y * 10 + x;
    }
}
__managed__ int counter = 5, table[100];
__device__ float dev_table[64] = {1, 2, 3};
__constant__ int coef[4] = {7, 8, 9, 10};
__device__ __managed__ double mg[2][3] = {{1, 2, 3}, {4, 5, 6}};
__global__ void use_managed() {
  atomicAdd(&counter, 1);
  if (threadIdx.x < 100) table[threadIdx.x] = threadIdx.x * coef[threadIdx.x % 4];
  if (threadIdx.x == 0) mg[1][2] *= 10;
  if (threadIdx.x < 64) dev_table[threadIdx.x] += 4;
}
struct Managed {
  void* operator new(size_t n) {
    void* p;
    CHECK(cudaMallocManaged(&p, n));
    CHECK(cudaDeviceSynchronize());
    return p;
  }
  void operator delete(void* p) {
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(p));
  }
};
struct Str : Managed {
  int n = 0;
  char* d = nullptr;
  Str(const char* s = "") { assign(s); }
  Str(const Str& o) { assign(o.d); }
  ~Str() { cudaFree(d); }
  void assign(const char* s) {
    if (d) CHECK(cudaFree(d));
    n = strlen(s);
    CHECK(cudaMallocManaged(&d, n + 1));
    memcpy(d, s, n + 1);
  }
  __host__ __device__ char& operator[](int i) { return d[i]; }
};
struct Elem : Managed {
  Str name;
  int value = 0;
};
__global__ void by_ref(Elem& e) {
  e.name[0] = 'd';
  e.value++;
}
__global__ void by_ptr(Elem* e) {
  e->name[1] = 'p';
  e->value++;
}
__global__ void by_val(const __grid_constant__ int v, Elem* e) {
  e->value += v;
}
__global__ void copy_kernel(const float4* in, float4* out, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i];
}
float timed(cudaStream_t s, void (*f)(void*), void* a) {
  cudaEvent_t b, e;
  CHECK(cudaEventCreate(&b));
  CHECK(cudaEventCreate(&e));
  f(a);
  CHECK(cudaEventRecord(b, s));
  f(a);
  CHECK(cudaEventRecord(e, s));
  CHECK(cudaEventSynchronize(e));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, b, e));
  CHECK(cudaEventDestroy(b));
  CHECK(cudaEventDestroy(e));
  return ms;
}
void zero_copy() {
  const int n = 1 << 16;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
  float *a, *b, *c, *da, *db, *dc;
  CHECK(cudaHostAlloc(&a, n * 4, cudaHostAllocMapped));
  CHECK(cudaHostAlloc(&b, n * 4, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  char* raw = (char*)malloc(n * 4 + 4096);
  c = (float*)(((uintptr_t)raw + 4095) & ~uintptr_t(4095));
  CHECK(cudaHostRegister(c, n * 4, cudaHostRegisterMapped));
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 2 * i;
  CHECK(cudaHostGetDevicePointer(&da, a, 0));
  CHECK(cudaHostGetDevicePointer(&db, b, 0));
  CHECK(cudaHostGetDevicePointer(&dc, c, 0));
  vadd<<<n / 256, 256>>>(da, db, dc, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(c[i] == 3 * i);
  CHECK(cudaHostUnregister(c));
  free(raw);
  CHECK(cudaFreeHost(a));
  CHECK(cudaFreeHost(b));
  void* m = mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(m, 0, 1 << 20);
  CHECK(cudaHostRegister(m, 1 << 20, cudaHostRegisterDefault));
  inc<<<8, 128>>>((int*)m, 1 << 18);
  CHECK(cudaDeviceSynchronize());
  EXPECT(((int*)m)[(1 << 18) - 1] == 1);
  CHECK(cudaHostUnregister(m));
  munmap(m, 1 << 20);
  std::vector<int> v(1000, 4);
  CHECK(cudaHostRegister(v.data(), 4000, 0));
  CHECK(cudaHostUnregister(v.data()));
  CHECK(cudaHostRegister(v.data(), 4000, 0));
  inc<<<1, 32>>>(v.data(), 1000);
  CHECK(cudaDeviceSynchronize());
  EXPECT(v[999] == 5);
  CHECK(cudaHostUnregister(v.data()));
}
void pitches() {
  const int w = 100, h = 37;
  std::vector<float> a(w * h), r(w * h, -1);
  for (int i = 0; i < w * h; ++i) a[i] = i;
  char *p, *q;
  size_t pp, qp;
  CHECK(cudaMallocPitch(&p, &pp, w * 4, h));
  CHECK(cudaMallocPitch(&q, &qp, w * 4, h));
  CHECK(cudaMemset2D(q, qp, 0, w * 4, h));
  CHECK(cudaMemcpy2D(p, pp, a.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
  pitched<<<dim3(1, h), 128>>>(p, pp, q, qp, w, h);
  CHECK(cudaMemcpy2D(r.data(), w * 4, q, qp, w * 4, h, cudaMemcpyDeviceToHost));
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) EXPECT(r[y * w + x] == 2 * a[y * w + w - 1 - x]);
  CHECK(cudaMemcpy2D(p, pp, q, qp, w * 4, h, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy2D(r.data(), w * 4, p, pp, w * 2, h / 2, cudaMemcpyDefault));
  cudaFree(p), cudaFree(q);
  cudaPitchedPtr b;
  cudaExtent e = make_cudaExtent(12 * 4, 7, 5);
  CHECK(cudaMalloc3D(&b, e));
  CHECK(cudaMemset3D(b, 0, e));
  box3<<<1, 32>>>(b, 12, 7, 5);
  std::vector<float> hb(12 * 7 * 5);
  cudaMemcpy3DParms m = {};
  m.srcPtr = b;
  m.dstPtr = make_cudaPitchedPtr(hb.data(), 12 * 4, 12, 7);
  m.extent = e;
  m.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaMemcpy3D(&m));
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 7; ++y)
      for (int x = 0; x < 12; ++x) EXPECT(hb[(z * 7 + y) * 12 + x] == z * 100 + y * 10 + x);
  m = {};
  m.srcPtr = make_cudaPitchedPtr(hb.data(), 12 * 4, 12, 7);
  m.srcPos = make_cudaPos(4, 1, 1);
  m.dstPtr = b;
  m.dstPos = make_cudaPos(0, 2, 0);
  m.extent = make_cudaExtent(8, 3, 2);
  m.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&m));
  float one;
  CHECK(cudaMemcpy(&one, (char*)b.ptr + 2 * b.pitch, 4, cudaMemcpyDeviceToHost));
  EXPECT(one == hb[(1 * 7 + 1) * 12 + 1]);
  cudaFree(b.ptr);
}
void managed() {
  counter = 5;
  use_managed<<<1, 128>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 133);
  EXPECT(table[99] == 99 * 10);
  EXPECT(mg[1][2] == 60);
  float t[64];
  CHECK(cudaMemcpyFromSymbol(t, dev_table, sizeof t));
  EXPECT(t[0] == 5 && t[63] == 4);
  int nc[4] = {1, 1, 1, 1};
  CHECK(cudaMemcpyToSymbol(coef, nc, sizeof nc));
  use_managed<<<1, 128>>>();
  CHECK(cudaDeviceSynchronize());
  EXPECT(table[99] == 99);
  int* pc;
  CHECK(cudaGetSymbolAddress((void**)&pc, coef));
  CHECK(cudaMemcpy(nc, pc, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaMemset(pc, 0, 16));
  CHECK(cudaMemcpyFromSymbol(nc, coef, 16));
  EXPECT(nc[3] == 0);
  CHECK(cudaMemset(&counter, 0, 4));
  CHECK(cudaDeviceSynchronize());
  EXPECT(counter == 0);
  Elem* e = new Elem;
  e->value = 10;
  e->name.assign("hello");
  by_ref<<<1, 1>>>(*e);
  by_ptr<<<1, 1>>>(e);
  by_val<<<1, 1>>>(5, e);
  CHECK(cudaDeviceSynchronize());
  EXPECT(std::string(e->name.d) == "dpllo" && e->value == 17);
  delete e;
  int* m;
  CHECK(cudaMallocManaged(&m, 1 << 20));
  memset(m, 0, 1 << 20);
  cudaMemLocation gpu = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0};
  CHECK(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, gpu));
  CHECK(cudaMemPrefetchAsync(m, 1 << 20, gpu, 0, 0));
  inc<<<64, 256>>>(m, 1 << 18);
  CHECK(cudaMemPrefetchAsync(m, 1 << 20, cpu, 0, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(m[12345] == 1);
  CHECK(cudaMemcpy(m, m + 1000, 4000, cudaMemcpyDefault));
  CHECK(cudaMemset(m, 0, 64));
  CHECK(cudaDeviceSynchronize());
  EXPECT(m[0] == 0);
  CHECK(cudaFree(m));
}
void pools() {
  cudaStream_t s;
  CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  uint64_t th = UINT64_MAX;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &th));
  const int n = 1 << 14;
  std::vector<float> a(n, 1), b(n, 2), c(n);
  for (int k = 0; k < 5; ++k) {
    float *x, *y, *z;
    CHECK(cudaMallocAsync(&x, n * 4, s));
    CHECK(cudaMallocAsync(&y, n * 4, s));
    CHECK(cudaMallocAsync(&z, n * 4, s));
    CHECK(cudaMemcpyAsync(x, a.data(), n * 4, cudaMemcpyHostToDevice, s));
    CHECK(cudaMemcpyAsync(y, b.data(), n * 4, cudaMemcpyHostToDevice, s));
    vadd<<<n / 256, 256, 0, s>>>(x, y, z, n);
    CHECK(cudaFreeAsync(x, s));
    CHECK(cudaFreeAsync(y, s));
    CHECK(cudaMemcpyAsync(c.data(), z, n * 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaFreeAsync(z, s));
  }
  CHECK(cudaStreamSynchronize(s));
  EXPECT(c[n - 1] == 3);
  uint64_t used, high;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &high));
  EXPECT(used == 0 && high >= 3u * n * 4);
  CHECK(cudaMemPoolTrimTo(pool, 0));
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &used));
  EXPECT(used == 0);
  CHECK(cudaStreamDestroy(s));
}
struct C {
  void *to, *from;
  size_t n;
  cudaMemcpyKind k;
};
void bandwidth() {
  std::map<std::string, double> rate;
  const size_t n = 32 << 20;
  char *h = (char*)malloc(n), *p, *d, *d2;
  memset(h, 1, n);
  CHECK(cudaMallocHost(&p, n));
  memset(p, 2, n);
  CHECK(cudaMalloc(&d, n));
  CHECK(cudaMalloc(&d2, n));
  CHECK(cudaMemset(d, 0, n));
  auto go = [](void* a) {
    C* c = (C*)a;
    CHECK(cudaMemcpyAsync(c->to, c->from, c->n, c->k));
  };
  struct {
    const char* name;
    C c;
  } cs[] = {{"h2d pageable", {d, h, n, cudaMemcpyHostToDevice}},
            {"h2d pinned", {d, p, n, cudaMemcpyHostToDevice}},
            {"d2h pageable", {h, d, n, cudaMemcpyDeviceToHost}},
            {"d2h pinned", {p, d, n, cudaMemcpyDeviceToHost}},
            {"d2d", {d2, d, n, cudaMemcpyDeviceToDevice}}};
  for (auto& c : cs) {
    float ms = timed(0, go, &c.c);
    rate[c.name] = n / ms / 1e6;
    printf("  %-14s %.2f GB/s\n", c.name, rate[c.name]);
  }
  EXPECT(rate["h2d pageable"] < rate["h2d pinned"]);
  EXPECT(rate["d2d"] > 100);
  C k{d2, d, n, cudaMemcpyDefault};
  float ms = timed(
      0,
      [](void* a) {
        C* c = (C*)a;
        copy_kernel<<<352, 256>>>((float4*)c->from, (float4*)c->to, c->n / 16);
      },
      &k);
  printf("  copy kernel    %.2f GB/s\n", 2 * n / ms / 1e6);
  free(h);
  cudaFreeHost(p);
  cudaFree(d);
  cudaFree(d2);
}
int main() {
  zero_copy();
  pitches();
  managed();
  pools();
  bandwidth();
  return ok();
}

// C++ on the device: virtual functions, recursion, placement new, containers, function pointers, templates, interval arithmetic.
#include <cassert>
#include <new>
#include "program.hpp"
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float s;
  __device__ Square(float s) : s(s) {}
  __device__ float area() const override { return s * s; }
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3.0f * r * r; }
};
struct Ring : Circle {
  float h;
  __device__ Ring(float r, float h) : Circle(r), h(h) {}
  __device__ float area() const override { return Circle::area() - 3.0f * h * h; }
};
__global__ void shapes(float* out, Shape** list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Shape* s;
  switch (i % 3) {
    case 0:
      s = new Square(i);
      break;
    case 1:
      s = new Circle(i);
      break;
    default:
      s = new Ring(i, i / 2);
  }
  list[i] = s;
  out[i] = s->area();
}
__global__ void free_shapes(Shape** list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) delete list[i];
}
template <class T>
struct Stack {
  virtual __device__ void push(T) = 0;
  virtual __device__ T pop() = 0;
  virtual __device__ ~Stack() {}
};
template <class T>
struct ArrayStack : Stack<T> {
  T* d;
  int top = 0, cap;
  __device__ ArrayStack(int c) : cap(c) { d = new T[c]; }
  __device__ ~ArrayStack() { delete[] d; }
  __device__ void push(T v) override {
    if (top == cap) {
      T* n = new T[cap * 2];
      for (int i = 0; i < top; ++i) n[i] = d[i];
      delete[] d;
      d = n;
      cap *= 2;
    }
    d[top++] = v;
  }
  __device__ T pop() override { return d[--top]; }
};
struct Complex2 {
  int a;
  float b;
  __device__ Complex2(int a = 0) : a(a), b(a * 0.5f) {}
};
template <class T>
__global__ void stack_kernel(int* out) {
  __shared__ Stack<T>* s;
  if (threadIdx.x == 0) s = new ArrayStack<T>(4);
  __syncthreads();
  for (int t = 0; t < blockDim.x; ++t) {
    if (threadIdx.x == t) s->push(T(t));
    __syncthreads();
  }
  for (int t = 0; t < blockDim.x; ++t) {
    if (threadIdx.x == t) {
      T v = s->pop();
      out[blockIdx.x * blockDim.x + t] = *(int*)&v;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) delete s;
}
__global__ void placement(int* out) {
  __shared__ alignas(Stack<int>*) unsigned char buf[sizeof(ArrayStack<int>)];
  __shared__ Stack<int>* s;
  if (threadIdx.x == 0) s = new (buf) ArrayStack<int>(64);
  __syncthreads();
  if (threadIdx.x < 8) {
    atomicAdd(out, 1);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    s->push(5);
    out[1] = s->pop();
    s->~Stack();
  }
}
__device__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__device__ int ack(int m, int n) {
  return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}
__global__ void recursion(int* out) {
  int i = threadIdx.x;
  out[i] = fib(i % 15);
  out[32 + i] = ack(2, i % 5);
}
__device__ void quicksort(int* d, int l, int r) {
  if (l >= r) return;
  int p = d[(l + r) / 2], i = l, j = r;
  while (i <= j) {
    while (d[i] < p) ++i;
    while (d[j] > p) --j;
    if (i <= j) {
      int t = d[i];
      d[i] = d[j];
      d[j] = t;
      ++i, --j;
    }
  }
  quicksort(d, l, j);
  quicksort(d, i, r);
}
__global__ void sorts(int* d, int n) {
  quicksort(d + threadIdx.x * n, 0, n - 1);
}
typedef float (*op)(float, float);
__device__ float opadd(float a, float b) {
  return a + b;
}
__device__ float opmul(float a, float b) {
  return a * b;
}
__device__ float opsub(float a, float b) {
  return a - b;
}
__device__ op table[3] = {opadd, opmul, opsub};
__device__ op single = opmul;
__constant__ op ctable[2];
__global__ void by_pointer(float* out, op f, int n) {
  int i = threadIdx.x;
  out[i] = f(i, 2);
  out[i + 32] = table[i % 3](i, 3);
  out[i + 64] = ctable[i & 1](i, 4);
}
__global__ void overload(int* p) {
  p[threadIdx.x] = 1;
}
__global__ void overload(int2* p) {
  p[threadIdx.x] = make_int2(2, 3);
}
__global__ void overload(const int* a, int* p) {
  p[threadIdx.x] = a[threadIdx.x] + 1;
}
template <class F>
__global__ void apply(F f, float* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = f(i);
}
struct Interval {
  double lo, hi;
};
__device__ Interval operator+(Interval a, Interval b) {
  return {__dadd_rd(a.lo, b.lo), __dadd_ru(a.hi, b.hi)};
}
__device__ Interval operator*(Interval a, Interval b) {
  double l = fmin(fmin(__dmul_rd(a.lo, b.lo), __dmul_rd(a.lo, b.hi)),
                  fmin(__dmul_rd(a.hi, b.lo), __dmul_rd(a.hi, b.hi))),
         h = fmax(fmax(__dmul_ru(a.lo, b.lo), __dmul_ru(a.lo, b.hi)),
                  fmax(__dmul_ru(a.hi, b.lo), __dmul_ru(a.hi, b.hi)));
  return {l, h};
}
__device__ Interval f_of(Interval x) {
  return x * x * x + Interval{-2.0, -2.0} * x + Interval{-5.0, -5.0};
}
__device__ int newton(Interval x, int depth, double* roots, int n) {
  Interval y = f_of(x);
  if (y.lo > 0 || y.hi < 0) return n;
  if (x.hi - x.lo < 1e-12 || depth > 60) {
    roots[n] = 0.5 * (x.lo + x.hi);
    return n + 1;
  }
  double m = 0.5 * (x.lo + x.hi);
  n = newton({x.lo, m}, depth + 1, roots, n);
  return n < 8 ? newton({m, x.hi}, depth + 1, roots, n) : n;
}
__global__ void interval(double* out, int* n) {
  double r[16];
  n[threadIdx.x] = newton({0.0 + threadIdx.x, 1.5 + threadIdx.x}, 0, r, 0);
  out[threadIdx.x] = n[threadIdx.x] ? r[0] : -1;
}
union Bits {
  float f;
  unsigned u;
  struct {
    unsigned m : 23, e : 8, s : 1;
  } b;
};
__global__ void bits(unsigned* o, float* in) {
  Bits b;
  b.f = in[threadIdx.x];
  o[threadIdx.x] = b.b.e;
  b.b.s ^= 1;
  in[threadIdx.x] = b.f;
}
struct alignas(16) A16 {
  int x, y, z, w;
};
struct P3 {
  float x, y, z;
};
struct __align__(8) G {
  unsigned char r, g, b;
  short h;
  float f;
};
template <class T>
__global__ void copyT(T* o, const T* i, int n) {
  for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x) o[k] = i[k];
}
template <class T>
void aligned(int n) {
  std::vector<unsigned char> h(n * sizeof(T));
  for (size_t k = 0; k < h.size(); ++k) h[k] = k * 7;
  unsigned char* a = to_device(h);
  T* o;
  CHECK(cudaMalloc(&o, h.size()));
  CHECK(cudaMemset(o, 0, h.size()));
  copyT<<<13, 96>>>(o, (T*)a, n);
  auto r = to_host((unsigned char*)o, h.size());
  T* x = (T*)h.data();
  (void)x;
  if (sizeof(T) != sizeof(G)) EXPECT(r == h);
  CHECK(cudaFree(a));
  CHECK(cudaFree(o));
}
static int cpu_fib(int n) {
  return n < 2 ? n : cpu_fib(n - 1) + cpu_fib(n - 2);
}
__global__ void vla(int n, long long* out) {
  int* p = (int*)malloc(n * sizeof(int));
  assert(p);
  memset(p, 0, n * 4);
  for (int i = 0; i < n; ++i) p[i] += i;
  long long s = 0;
  for (int i = 0; i < n; ++i) s += p[i];
  free(p);
  out[threadIdx.x + blockIdx.x * blockDim.x] = s;
}
__device__ int* kept[64];
__global__ void keep_alloc() {
  kept[threadIdx.x] = (int*)malloc(16);
  kept[threadIdx.x][0] = threadIdx.x;
}
__global__ void keep_use(int* o) {
  o[threadIdx.x] = *kept[threadIdx.x] * 2;
  free(kept[threadIdx.x]);
}
int main() {
  const int n = 500;
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20));
  float* out;
  Shape** list;
  CHECK(cudaMalloc(&out, n * 4));
  CHECK(cudaMalloc(&list, n * 8));
  shapes<<<4, 128>>>(out, list, n);
  free_shapes<<<4, 128>>>(list, n);
  auto h = to_host(out, n);
  for (int i = 0; i < n; ++i) {
    float w = i % 3 == 0 ? (float)i * i : i % 3 == 1 ? 3.0f * i * i : 3.0f * i * i - 3.0f * (i / 2) * (i / 2);
    EXPECT(h[i] == w);
  }
  cudaFree(list);
  cudaFree(out);
  int* o;
  CHECK(cudaMalloc(&o, 4096));
  CHECK(cudaMemset(o, 0, 4096));
  stack_kernel<int><<<2, 64>>>(o);
  auto r = to_host(o, 128);
  for (int i = 0; i < 128; ++i) EXPECT(r[i] == 63 - i % 64);
  stack_kernel<Complex2><<<1, 32>>>(o);
  r = to_host(o, 32);
  EXPECT(r[0] == 31);
  CHECK(cudaMemset(o, 0, 4096));
  placement<<<1, 64>>>(o);
  r = to_host(o, 2);
  EXPECT(r[0] == 8 && r[1] == 5);
  recursion<<<1, 32>>>(o);
  r = to_host(o, 64);
  for (int i = 0; i < 32; ++i) EXPECT(r[i] == cpu_fib(i % 15) && r[32 + i] == 2 * (i % 5) + 3);
  std::vector<int> u(32 * 50);
  for (int i = 0; i < (int)u.size(); ++i) u[i] = (i * 7919) % 1000;
  int* ud = to_device(u);
  sorts<<<1, 32>>>(ud, 50);
  u = to_host(ud, u.size());
  for (int t = 0; t < 32; ++t)
    for (int i = 1; i < 50; ++i) EXPECT(u[t * 50 + i - 1] <= u[t * 50 + i]);
  cudaFree(ud);
  float* fo;
  CHECK(cudaMalloc(&fo, 4096));
  op hf;
  CHECK(cudaMemcpyFromSymbol(&hf, single, sizeof hf));
  op ht[3];
  CHECK(cudaMemcpyFromSymbol(ht, table, sizeof ht));
  CHECK(cudaMemcpyToSymbol(ctable, ht + 1, 16));
  by_pointer<<<1, 32>>>(fo, hf, 32);
  auto f = to_host(fo, 96);
  for (int i = 0; i < 32; ++i) {
    EXPECT(f[i] == i * 2);
    EXPECT(f[32 + i] == (i % 3 == 0 ? i + 3 : i % 3 == 1 ? i * 3 : i - 3));
    EXPECT(f[64 + i] == (i & 1 ? i - 4 : i * 4));
  }
  void (*k1)(int*) = overload;
  void (*k2)(int2*) = overload;
  void (*k3)(const int*, int*) = overload;
  cudaFuncAttributes at;
  CHECK(cudaFuncGetAttributes(&at, k1));
  CHECK(cudaFuncSetCacheConfig(k2, cudaFuncCachePreferShared));
  k1<<<1, 32>>>(o);
  k3<<<1, 32>>>(o, o + 64);
  k2<<<1, 32>>>((int2*)(o + 128));
  r = to_host(o, 192);
  EXPECT(r[5] == 1 && r[64 + 5] == 2 && r[128] == 2 && r[129] == 3);
  float base = 3;
  apply<<<2, 64>>>([=] __device__(int i) { return base * i + sinf(0.0f); }, fo, 100);
  f = to_host(fo, 100);
  EXPECT(f[99] == 297);
  double* dd;
  CHECK(cudaMalloc(&dd, 256));
  interval<<<1, 3>>>(dd, o);
  auto iv = to_host(dd, 3);
  r = to_host(o, 3);
  EXPECT(r[0] == 0);
  EXPECT(r[2] >= 1 && close(iv[2], 2.0945514815423265, 1e-10));
  std::vector<float> bi = {1.0f, -2.0f, 0.5f, 0.0f};
  float* bd = to_device(bi);
  bits<<<1, 4>>>((unsigned*)o, bd);
  r = to_host(o, 4);
  EXPECT(r[0] == 127 && r[1] == 128 && r[2] == 126 && r[3] == 0);
  EXPECT(to_host(bd, 2)[1] == 2.0f);
  aligned<char>(1001);
  aligned<short>(999);
  aligned<int>(777);
  aligned<P3>(333);
  aligned<A16>(100);
  aligned<double2>(77);
  aligned<G>(50);
  aligned<float3>(64);
  aligned<uchar4>(640);
  aligned<longlong4_16a>(33);
  long long* lo;
  CHECK(cudaMalloc(&lo, 64 * 8));
  vla<<<2, 32>>>(300, lo);
  auto ls = to_host(lo, 64);
  for (auto v : ls) EXPECT(v == 300 * 299 / 2);
  keep_alloc<<<1, 64>>>();
  keep_use<<<1, 64>>>(o);
  r = to_host(o, 64);
  EXPECT(r[63] == 126);
  cudaFree(lo), cudaFree(bd), cudaFree(dd), cudaFree(fo), cudaFree(o);
  return ok();
}

/// @file
/// How threads pass messages without a library: fences and flags, locks, queues, named barriers, cp.async in two
/// stages; and what else device code may do: heap, virtual functions, recursion, function pointers.
#include <cuda_pipeline.h>
#include "program.hpp"

// ThreadFenceReduction
__device__ unsigned done_count = 0;
__global__ void fence_reduce(const float* in, int n, volatile float* partial, float* out) {
  __shared__ float s[256];
  __shared__ bool last;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int k = 128; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&done_count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float t = 0;
    for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) t += partial[i];
    s[threadIdx.x] = t;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
      if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
      __syncthreads();
    }
    if (threadIdx.x == 0) {
      *out = s[0];
      done_count = 0;
    }
  }
}
// Spin lock
__device__ int lock_word;
__device__ int guarded;
__global__ void spin_lock(int times) {
  for (int i = 0; i < times; ++i) {
    if (threadIdx.x % 32 == 0) {
      while (atomicCAS(&lock_word, 0, 1) != 0) __nanosleep(20);
      __threadfence();
      guarded = guarded + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
    }
  }
}
__global__ void spin_lock_all(volatile int* g) {  // each lane
  bool todo = true;
  while (todo) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      __threadfence();
      *g = *g + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      todo = false;
    }
  }
}
// Producer-consumer between blocks: volatile flag
__global__ void pc(int* data, volatile int* flag, int* out, int rounds) {
  if (blockIdx.x == 0) {
    for (int r = 0; r < rounds; ++r) {
      data[r * blockDim.x + threadIdx.x] = r * 1000 + threadIdx.x;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) flag[r] = 1;
    }
  } else {
    for (int r = 0; r < rounds; ++r) {
      if (threadIdx.x == 0)
        while (flag[r] == 0) {
        }
      __threadfence();
      __syncthreads();
      out[r * blockDim.x + threadIdx.x] = data[r * blockDim.x + threadIdx.x];
    }
  }
}
// ring buffer with 2 slots and back pressure
__global__ void ring(int* slots, int* head, int* tail, int* out, int items) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0)
    for (int i = 0; i < items; ++i) {
      while (i - *(volatile int*)tail >= 2) {
      }
      __threadfence();
      slots[i % 2] = i * 3;
      __threadfence();
      atomicExch(head, i + 1);
    }
  else
    for (int i = 0; i < items; ++i) {
      while (*(volatile int*)head <= i) {
      }
      __threadfence();
      out[i] = slots[i % 2];
      __threadfence();
      atomicExch(tail, i + 1);
    }
}
// Double-buffered cp.async
__global__ void cp_double(const float4* in, float* out, int tiles) {
  __shared__ alignas(16) float4 buf[2][128];
  __pipeline_memcpy_async(&buf[0][threadIdx.x], &in[threadIdx.x], 16);
  __pipeline_commit();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&buf[(t + 1) & 1][threadIdx.x], &in[(t + 1) * 128 + threadIdx.x], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = buf[t & 1][(threadIdx.x + 1) % 128];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}
// Warp specialisation with named barriers
__device__ __forceinline__ void bar_sync(int id, int n) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
}
__device__ __forceinline__ void bar_arrive(int id, int n) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory");
}
__global__ void named(const int* in, int* out, int rounds) {
  __shared__ int buf[2][32];
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  if (w == 0) {
    for (int r = 0; r < rounds; ++r) {
      bar_sync(3 + (r & 1), 64);
      buf[r & 1][l] = in[r * 32 + l];
      bar_arrive(1 + (r & 1), 64);
    }
  } else {
    bar_arrive(3, 64);
    bar_arrive(4, 64);
    for (int r = 0; r < rounds; ++r) {
      bar_sync(1 + (r & 1), 64);
      out[r * 32 + l] = buf[r & 1][31 - l];
      if (r + 2 < rounds) bar_arrive(3 + (r & 1), 64);
    }
  }
}
// Persistent kernel with an atomic work queue
__global__ void persistent(const int* in, int* out, int n, int* next) {
  __shared__ int mine;
  while (true) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    int item = mine;
    __syncthreads();
    if (item * 64 >= n) break;
    int i = item * 64 + threadIdx.x;
    if (i < n) out[i] = in[i] * 2;
  }
}
// Device heap, virtual functions, recursion, function pointers
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ Square(float a) : a(a) {}
  __device__ float area() const override { return a * a; }
};
struct Circle : Shape {
  float r;
  __device__ Circle(float r) : r(r) {}
  __device__ float area() const override { return 3.f * r * r; }
};
__global__ void shapes(float* out) {
  int i = threadIdx.x;
  Shape* s = i % 2 ? (Shape*)new Circle(i) : (Shape*)new Square(i);
  out[i] = s->area();
  delete s;
}
__global__ void heap(int* out) {
  int* p = (int*)malloc(4 * 64);
  if (!p) {
    out[threadIdx.x] = -1;
    return;
  }
  for (int i = 0; i < 64; ++i) p[i] = i * threadIdx.x;
  int s = 0;
  for (int i = 0; i < 64; ++i) s += p[i];
  out[threadIdx.x] = s;
  free(p);
}
struct Node {
  int v;
  Node* next;
};
__device__ Node* list_head;
__global__ void push_all() {
  Node* n = new Node{int(blockIdx.x * blockDim.x + threadIdx.x), nullptr};
  Node* old = list_head;
  Node* seen;
  do {
    seen = old;
    n->next = seen;
    __threadfence();
    old = (Node*)atomicCAS((unsigned long long*)&list_head, (unsigned long long)seen, (unsigned long long)n);
  } while (old != seen);
}
__global__ void pop_all(long long* sum, int* count) {
  long long s = 0;
  int c = 0;
  for (Node* n = list_head; n;) {
    s += n->v;
    ++c;
    Node* x = n->next;
    delete n;
    n = x;
  }
  list_head = nullptr;
  *sum = s;
  *count = c;
}
__device__ __noinline__ int fib(int n) {
  return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__global__ void recurse(int* out) {
  out[threadIdx.x] = fib(threadIdx.x % 12);
}
__device__ int f_add(int a, int b) {
  return a + b;
}
__device__ int f_mul(int a, int b) {
  return a * b;
}
__device__ int f_sub(int a, int b) {
  return a - b;
}
typedef int (*Op)(int, int);
__device__ Op ops[3] = {f_add, f_mul, f_sub};
__constant__ Op cops[3] = {f_add, f_mul, f_sub};
__global__ void pointers(int* out) {
  out[threadIdx.x] = ops[threadIdx.x % 3](threadIdx.x, 7) + cops[(threadIdx.x + 1) % 3](threadIdx.x, 3);
}
__constant__ int table[64];
__global__ void constants(int* out) {
  out[threadIdx.x] = table[threadIdx.x % 64] + table[5];
}
// quicksort recursion on device thread, merge on stack
__device__ __noinline__ void quick(int* a, int lo, int hi) {
  if (lo >= hi) return;
  int p = a[(lo + hi) / 2], i = lo, j = hi;
  while (i <= j) {
    while (a[i] < p) ++i;
    while (a[j] > p) --j;
    if (i <= j) {
      int t = a[i];
      a[i] = a[j];
      a[j] = t;
      ++i;
      --j;
    }
  }
  quick(a, lo, j);
  quick(a, i, hi);
}
__global__ void quick_kernel(int* a, int per) {
  quick(a + threadIdx.x * per, 0, per - 1);
}
// lambda/warp
__global__ void warp_scan(const int* in, int* out) {
  int v = in[threadIdx.x], l = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    int t = __shfl_up_sync(~0u, v, d);
    if (l >= d) v += t;
  }
  out[threadIdx.x] = v;
}
// warp-synchronous with __syncwarp
__global__ void warp_reduce_shared(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    __syncwarp();
    s[t] = v;
    __syncwarp();
    for (int k = 16; k; k >>= 1) {
      v += t + k < 32 ? s[t + k] : 0;
      __syncwarp();
      s[t] = v;
      __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = s[0];
  }
}
int main() {
  {
    int n = 100000;
    std::vector<float> h(n);
    double e = 0;
    for (int i = 0; i < n; ++i) {
      h[i] = i % 13;
      e += h[i];
    }
    float* d = to_device(h);
    float *p, *o;
    CHECK(cudaMalloc(&p, 4 * 64));
    CHECK(cudaMalloc(&o, 4));
    for (int k = 0; k < 2; ++k) {
      fence_reduce<<<64, 256>>>(d, n, p, o);
      EXPECT(to_host(o, 1)[0] == e);
    }
  }
  {
    spin_lock<<<20, 128>>>(3);
    CHECK(cudaDeviceSynchronize());
    int g;
    CHECK(cudaMemcpyFromSymbol(&g, guarded, 4));
    EXPECT(g == 20 * 4 * 3);
    int* z;
    CHECK(cudaMalloc(&z, 4));
    CHECK(cudaMemset(z, 0, 4));
    spin_lock_all<<<3, 64>>>(z);
    EXPECT(to_host(z, 1)[0] == 192);
  }
  {
    int *d, *f, *o;
    CHECK(cudaMalloc(&d, 4 * 64 * 10));
    CHECK(cudaMalloc(&o, 4 * 64 * 10));
    CHECK(cudaMalloc(&f, 40));
    CHECK(cudaMemset(f, 0, 40));
    pc<<<2, 64>>>(d, f, o, 10);
    auto r = to_host(o, 640);
    for (int i = 0; i < 640; ++i) EXPECT(r[i] == i / 64 * 1000 + i % 64);
    int *s, *ht;
    CHECK(cudaMalloc(&s, 8));
    CHECK(cudaMalloc(&ht, 8));
    CHECK(cudaMemset(ht, 0, 8));
    ring<<<2, 32>>>(s, ht, ht + 1, o, 100);
    r = to_host(o, 100);
    for (int i = 0; i < 100; ++i) EXPECT(r[i] == 3 * i);
  }
  {
    std::vector<float> h(128 * 4 * 9);
    for (size_t i = 0; i < h.size(); ++i) h[i] = i % 17;
    float* d = to_device(h);
    float* o;
    CHECK(cudaMalloc(&o, 512));
    cp_double<<<1, 128>>>((const float4*)d, o, 9);
    auto r = to_host(o, 128);
    for (int t = 0; t < 128; ++t) {
      float e = 0;
      for (int k = 0; k < 9; ++k)
        for (int c = 0; c < 4; ++c) e += h[(k * 128 + (t + 1) % 128) * 4 + c];
      EXPECT(r[t] == e);
    }
  }
  {
    std::vector<int> h(32 * 8);
    for (int i = 0; i < 256; ++i) h[i] = i * i;
    int* d = to_device(h);
    int* o;
    CHECK(cudaMalloc(&o, 1024));
    named<<<1, 64>>>(d, o, 8);
    auto r = to_host(o, 256);
    for (int i = 0; i < 256; ++i) EXPECT(r[i] == h[i / 32 * 32 + 31 - i % 32]);
    int* q;
    CHECK(cudaMalloc(&q, 4));
    CHECK(cudaMemset(q, 0, 4));
    persistent<<<22, 64>>>(d, o, 250, q);
    r = to_host(o, 250);
    for (int i = 0; i < 250; ++i) EXPECT(r[i] == 2 * h[i]);
  }
  {
    float* o;
    CHECK(cudaMalloc(&o, 256));
    shapes<<<1, 64>>>(o);
    auto r = to_host(o, 64);
    for (int i = 0; i < 64; ++i) EXPECT(r[i] == (i % 2 ? 3.f * i * i : 1.f * i * i));
    int* q;
    CHECK(cudaMalloc(&q, 4 * 256));
    heap<<<1, 256>>>(q);
    auto s = to_host(q, 256);
    for (int i = 0; i < 256; ++i) EXPECT(s[i] == 2016 * i);
    push_all<<<5, 64>>>();
    long long* sum;
    int* count;
    CHECK(cudaMalloc(&sum, 8));
    CHECK(cudaMalloc(&count, 4));
    pop_all<<<1, 1>>>(sum, count);
    EXPECT(to_host(count, 1)[0] == 320 && to_host(sum, 1)[0] == 319 * 320 / 2);
    recurse<<<1, 64>>>(q);
    s = to_host(q, 64);
    int fibs[12] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89};
    for (int i = 0; i < 64; ++i) EXPECT(s[i] == fibs[i % 12]);
    pointers<<<1, 96>>>(q);
    s = to_host(q, 96);
    auto op = [](int k, int a, int b) { return k == 0 ? a + b : k == 1 ? a * b : a - b; };
    for (int i = 0; i < 96; ++i) EXPECT(s[i] == op(i % 3, i, 7) + op((i + 1) % 3, i, 3));
    int t[64];
    for (int i = 0; i < 64; ++i) t[i] = i * i;
    CHECK(cudaMemcpyToSymbol(table, t, sizeof t));
    constants<<<1, 128>>>(q);
    s = to_host(q, 128);
    for (int i = 0; i < 128; ++i) EXPECT(s[i] == t[i % 64] + 25);
  }
  {
    std::vector<int> h(32 * 40);
    unsigned x = 1;
    for (auto& v : h) v = (x = x * 1664525 + 1013904223) >> 20;
    int* d = to_device(h);
    quick_kernel<<<1, 32>>>(d, 40);
    auto r = to_host(d, 1280);
    for (int i = 1; i < 1280; ++i) EXPECT(i % 40 == 0 || r[i - 1] <= r[i]);
    int* o;
    CHECK(cudaMalloc(&o, 4 * 1280));
    warp_scan<<<1, 1024>>>(d, o);
    auto w = to_host(o, 1024);
    for (int i = 0, s = 0; i < 1024; ++i) {
      s = i % 32 ? s + r[i] : r[i];
      EXPECT(w[i] == s);
    }
  }
  {
    std::vector<float> h(640);
    for (int i = 0; i < 640; ++i) h[i] = i;
    float* d = to_device(h);
    float* o;
    CHECK(cudaMalloc(&o, 40));
    warp_reduce_shared<<<10, 64>>>(d, o);
    auto r = to_host(o, 10);
    for (int b = 0; b < 10; ++b) EXPECT(r[b] == b * 64 * 64 + 2016);
  }
  return ok();
}

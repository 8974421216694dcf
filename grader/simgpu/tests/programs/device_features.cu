// printf, assert that holds, malloc, function pointers and virtual functions, recursion, clocks, warp intrinsics, half, bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cassert>

#include "program.hpp"

using Function = float (*)(float);
__device__ float twice(float x) {
  return 2 * x;
}
__device__ float plus_one(float x) {
  return x + 1;
}
__device__ Function functions[] = {twice, plus_one, sqrtf};

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float a;
  __device__ explicit Square(float s) : a(s) {}
  __device__ float area() const override { return a * a; }
};
struct Disc : Shape {
  float r;
  __device__ explicit Disc(float s) : r(s) {}
  __device__ float area() const override { return 3 * r * r; }
};

__device__ __noinline__ unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void run(float* out, long long* clocks, unsigned* bits) {
  const int t = threadIdx.x;
  assert(blockDim.x == 32);
  if (t == 0) printf("thread %d of %u: %5.2f %s %c %lld\n", t, blockDim.x, 1.5, "text", 'x', 123456789012ll);
  const long long begin = clock64();
  unsigned long long timer;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  float v = functions[t % 3](float(t));
  Shape* shape = t % 2 ? static_cast<Shape*>(new Square(t)) : new Disc(t);
  v += shape->area();
  delete shape;
  int* heap = static_cast<int*>(malloc(16 * sizeof(int)));
  if (heap) {
    for (int i = 0; i < 16; ++i) heap[i] = i * t;
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += heap[i];
    v += sum;
    free(heap);
  }
  out[t] = v + fibonacci(t % 10);
  clocks[t] = clock64() - begin + (timer == 0 ? -1000000 : 0);

  bits[t] = __ballot_sync(~0u, t % 3 == 0);
  bits[32 + t] = __match_any_sync(~0u, t / 5);
  bits[64 + t] = __shfl_xor_sync(~0u, t * 3, 5);
  bits[96 + t] = __popc(t * 77) + __clz(t + 1) + __ffs(t) + __brev(t) % 7 + __byte_perm(t, 0x1234, 0x4140);
  bits[128 + t] = __all_sync(~0u, t < 32) + 2 * __any_sync(~0u, t == 40) + 4 * (__activemask() == ~0u);
  bits[160 + t] = __reduce_max_sync(~0u, (t * 7) % 31);
  const __half2 h = __hfma2(__floats2half2_rn(t, 2), __float2half2_rn(0.5f), __floats2half2_rn(1, t));
  bits[192 + t] = unsigned(__low2float(h) * 2) + unsigned(__high2float(h)) * 1000;
  const __nv_bfloat16 b = __hadd(__float2bfloat16(float(t)), __float2bfloat16(0.5f));
  bits[224 + t] = unsigned(__bfloat162float(b) * 2);
}

int main() {
  float* out = nullptr;
  long long* clocks = nullptr;
  unsigned* bits = nullptr;
  CHECK(cudaMalloc(&out, 32 * sizeof(float)));
  CHECK(cudaMalloc(&clocks, 32 * sizeof(long long)));
  CHECK(cudaMalloc(&bits, 256 * sizeof(unsigned)));
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  run<<<1, 32>>>(out, clocks, bits);
  CHECK(cudaDeviceSynchronize());
  const auto v = to_host(out, 32);
  const auto c = to_host(clocks, 32);
  const auto b = to_host(bits, 256);
  const unsigned fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34};
  for (int t = 0; t < 32; ++t) {
    const float f = t % 3 == 0 ? 2.0f * t : t % 3 == 1 ? t + 1.0f : std::sqrt(float(t));
    const float expected = f + (t % 2 ? t * t : 3.0f * t * t) + 120 * t + fib[t % 10];
    EXPECT(close(v[t], expected));
    EXPECT(c[t] > 0);
    EXPECT(b[t] == 0x49249249u);
    unsigned same = 0;
    for (int k = 0; k < 32; ++k) same |= unsigned(k / 5 == t / 5) << k;
    EXPECT(b[32 + t] == same);
    EXPECT(b[64 + t] == unsigned((t ^ 5) * 3));
    unsigned reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (unsigned(t) >> k & 1u) << (31 - k);
    const unsigned permuted = unsigned(t) & 0xff;
    const unsigned bytes = permuted | (0x34u << 16 >> 8) * 0;
    (void)bytes;
    // selector 0x4140: bytes 0 <- t.0, 1 <- 0x1234.0, 2 <- t.1, 3 <- 0x1234.0
    const unsigned perm = permuted | 0x34u << 8 | (unsigned(t) >> 8 & 0xff) << 16 | 0x34u << 24;
    EXPECT(b[96 + t] ==
           __builtin_popcount(t * 77) + __builtin_clz(t + 1) + __builtin_ffs(t) + reversed % 7 + perm);
    EXPECT(b[128 + t] == 5);
    EXPECT(b[160 + t] == 30);
    EXPECT(b[192 + t] == unsigned((t * 0.5f + 1) * 2) + unsigned(1 + t) * 1000);
    EXPECT(b[224 + t] == unsigned((t + 0.5f) * 2));
  }
  return ok();
}

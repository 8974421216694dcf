// Kernels that tests compile with nvcc and run: the ordinary ones.
#include <cuda_fp16.h>
#include <cassert>
#include <cstdint>
#include <cstdio>

extern "C" __global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, s[0]);
}
// Groups of eight lanes, each by its own mask or all by one.
extern "C" __global__ void sums_of_eight(const float* in, float* out, int apart) {
  const unsigned mask = apart ? 0xFFu << (threadIdx.x & 24) : ~0u;
  float v = in[threadIdx.x];
  for (int d = 4; d > 0; d /= 2) v += __shfl_xor_sync(mask, v, d, 8);
  out[threadIdx.x] = v;
}
extern "C" __global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" __global__ void stencil(const float* in, float* out, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x + 3;
  if (i < n) s[t] = in[i];
  if (threadIdx.x < 3) {
    s[t - 3] = i >= 3 ? in[i - 3] : 0;
    int r = i + blockDim.x;
    s[t + blockDim.x] = r < n ? in[r] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
  for (int k = -3; k <= 3; ++k) sum += s[t + k];
  out[i] = sum;
}
extern "C" __global__ void warp_sum(const float* in, float* out, int n) {
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_xor_sync(0xffffffff, v, k);
  if (threadIdx.x % 32 == 0) atomicAdd(out, v);
}
template <int T>
__global__ void matmul_body(const float* a, const float* b, float* c, int n) {
  __shared__ float as[T][T], bs[T][T];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += T) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < T; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
template __global__ void matmul_body<32>(const float*, const float*, float*, int);
extern "C" __global__ void spin_lock(int* lock, int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *(volatile int*)counter = *(volatile int*)counter + 1;
  __threadfence();
  atomicExch(lock, 0);
}
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[in[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
extern "C" __global__ void print(int n) {
  printf("thread %d of %u: %.2f %s %lld %c%%\n", threadIdx.x, blockDim.x, n * 0.5, "text", 1ll << 40, 'x');
}
extern "C" __global__ void check(int n) {
  assert(threadIdx.x < n);
}
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
extern "C" __global__ void recursive(int* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x % 12);
}
__device__ int twice(int x) {
  return 2 * x;
}
__device__ int square(int x) {
  return x * x;
}
__device__ int (*table[2])(int) = {twice, square};
extern "C" __global__ void pointers(int* out) {
  out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x);
}
extern "C" __global__ void mathematics(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = in[i];
  out[8 * i] = sinf(x);
  out[8 * i + 1] = expf(x);
  out[8 * i + 2] = logf(fabsf(x) + 1);
  out[8 * i + 3] = powf(fabsf(x), 1.5f);
  out[8 * i + 4] = sqrtf(fabsf(x));
  out[8 * i + 5] = (float)sin((double)x * 1e5);
  out[8 * i + 6] = tanhf(x);
  out[8 * i + 7] = erff(x);
}
extern "C" __global__ void halves(const float* in, float* out) {
  __half2 h = __floats2half2_rn(in[2 * threadIdx.x], in[2 * threadIdx.x + 1]);
  h = __hfma2(h, h, __float2half2_rn(1.0f));
  out[2 * threadIdx.x] = __low2float(h);
  out[2 * threadIdx.x + 1] = __high2float(h);
}
extern "C" __global__ void dynamic_local(int* out, int k) {
  int a[16];
  for (int i = 0; i < 16; ++i) a[i] = i * threadIdx.x;
  for (int i = 0; i < 16; ++i) a[(i * k) & 15] += a[(i + k) & 15];
  int s = 0;
  for (int i = 0; i < 16; ++i) s = s * 31 + a[i];
  out[threadIdx.x] = s;
}
extern "C" __global__ void early_return(int* out, int n) {
  if ((int)threadIdx.x >= n) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}
extern "C" __global__ void divergent(int* out, int n) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  if ((int)threadIdx.x < n) {
    __syncthreads();
    s[threadIdx.x] += s[(threadIdx.x + 1) % 64];
  }
  out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void forever(volatile int* flag, int* out) {
  while (*flag == 0) {
  }
  *out = 1;
}
extern "C" __global__ void ticket(const float* in, float* partial, unsigned* count, float* out, int n) {
  __shared__ float s[128];
  __shared__ bool last;
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int k = 64; k > 0; k >>= 1) {
    if ((int)threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float t = 0;
    for (int b = 0; b < (int)gridDim.x; ++b) t += ((volatile float*)partial)[b];
    *out = t;
  }
}

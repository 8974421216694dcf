/// @file
/// How fast the simulated GPU is through its real door, on kernels of many kinds. Not a test: times depend on the machine.
///
///     nvcc -std=c++17 -O3 -lineinfo -cudart shared -gencode arch=compute_90,code=compute_90 speed.cu -o speed
///     python3 table.py ./speed DIR_OF_LIBCUDART[,ANOTHER] [KERNEL|all] [SCALE] [REPEATS] [LAUNCHES] [N]
///
/// `speed [KERNEL|all] [SCALE] [LAUNCHES] [N]` prints the processor time of each kernel's best of LAUNCHES (1) launches to standard error; larger scales
/// mean smaller arrays, products are of N (512) rows.
/// SIMGPU_CHECKS=0 turns races and uninitialised reads off.
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>
__global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void vadd4(const float4* a, const float4* b, float4* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}
__global__ void saxpy_stride(float s, const float* a, float* c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = s * a[i] + c[i];
}
template <int T>
__global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float as[T][T], bs[T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int t = 0; t < n; t += T) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
template <int T>
__global__ void matmul_aligned(const float* a, const float* b, float* c, int n) {
  alignas(16) __shared__ float as[T][T];
  alignas(16) __shared__ float bs[T][T];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
  float sum = 0;
  for (int t = 0; t < n; t += T) {
    as[y][x] = a[row * n + t + x];
    bs[y][x] = b[(t + y) * n + col];
    __syncthreads();
    for (int k = 0; k < T; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
__global__ void matmul_naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}
__global__ void stride32(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int w = n / 32;
  int j = (i % 32) * w + i / 32;
  c[j] = a[j] + 1;
}
__global__ void gather(const int* index, const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[index[i]];
}
__global__ void histogram(const int* data, unsigned* bins, int n) {
  __shared__ unsigned h[256];
  h[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[data[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], h[threadIdx.x]);
}
__global__ void histogram_global(const int* data, unsigned* bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i] & 255], 1u);
}
__global__ void tex(cudaTextureObject_t t, float* c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  c[y * w + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void tex_linear(cudaTextureObject_t t, float* c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  c[y * w + x] = tex2D<float>(t, x + 0.75f, y + 0.25f);
}
__global__ void transpose_naive(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[x * n + y + j] = in[(y + j) * n + x];
}
template <int P>
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + P];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void reduce(const float* a, float* out, int n) {
  __shared__ float s[8];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += a[i];
  for (int o = 16; o; o /= 2) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 8) {
    v = s[threadIdx.x];
    for (int o = 4; o; o /= 2) v += __shfl_down_sync(0xff, v, o);
  }
  if (threadIdx.x == 0) atomicAdd(out, v);
}
__global__ void reduce_tree(const float* a, float* out, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = a[i];
  __syncthreads();
  for (int o = 128; o; o /= 2) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}
__global__ void stencil(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 && i < n - 2) c[i] = a[i - 2] + a[i - 1] + a[i] + a[i + 1] + a[i + 2];
}
struct P {
  float x, y, z, w;
};
__global__ void aos(P* p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i].x += p[i].y * 0.5f;
}
__constant__ float filter[25];
__global__ void conv(const float* a, float* c, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx) {
      int xx = min(max(x + dx, 0), w - 1), yy = min(max(y + dy, 0), h - 1);
      s += filter[(dy + 2) * 5 + dx + 2] * a[yy * w + xx];
    }
  c[y * w + x] = s;
}
__global__ void collatz(int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i + 1;
  int k = 0;
  while (v != 1 && k < 40) {
    if (v & 1)
      v = 3 * v + 1;
    else
      v /= 2;
    ++k;
  }
  c[i] = k;
}
__global__ void local_array(const int* a, int* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int h[16];
  for (int k = 0; k < 16; ++k) h[k] = i + k;
  for (int k = 0; k < 16; ++k) h[(a[i] + k * 7) & 15] += k;
  int s = 0;
  for (int k = 0; k < 16; ++k) s += h[k] * k;
  c[i] = s + h[a[i] & 15];
}
__global__ void cp_copy(const float4* a, float4* c, int n) {
  __shared__ float4 s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;\ncp.async.commit_group;\ncp.async.wait_group 0;" ::"r"(at),
      "l"(a + i)
      : "memory");
  __syncthreads();
  c[i] = s[threadIdx.x];
}
__global__ void bytes(const unsigned char* a, unsigned char* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 255 - a[i];
}
__global__ void alu(float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i;
  int k2 = i;
  for (int k = 0; k < n; ++k) {
    v = v * 1.0001f + 0.5f;
    k2 = k2 * 3 + k;
  }
  c[i] = v + k2;
}
#define CHECK(x)                                     \
  do {                                               \
    cudaError_t e = (x);                             \
    if (e) {                                         \
      printf("%s: %s\n", #x, cudaGetErrorString(e)); \
      exit(1);                                       \
    }                                                \
  } while (0)
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
int main(int argc, char** argv) {
  if (const char* t = getenv("SIMGPU_CHECKS"); t && *t == '0')
    if (auto f = (int (*)(const char*))dlsym(RTLD_DEFAULT, "simgpu_configure"))
      if (f("{\"checks\": false}")) puts("configure failed");
  const char* only = argc > 1 ? argv[1] : nullptr;
  int scale = argc > 2 ? atoi(argv[2]) : 1;
  const int launches = argc > 3 ? atoi(argv[3]) : 1;
  const int n = (16 << 20) / scale, w = 2048 / (scale > 1 ? 2 : 1);
  int m = argc > 4 ? atoi(argv[4]) : 512;
  while (argc <= 4 && m > 32 && m * m > n) m /= 2;
  if (launches < 1 || m < 32 || m % 32 != 0 || 1ll * m * m > n) {
    puts("speed: LAUNCHES is 1 or more, and N a multiple of 32 with N * N floats in an array");
    return 2;
  }
  float *a, *b, *c;
  int *idx, *data;
  unsigned* bins;
  CHECK(cudaMalloc(&a, 4ull * n));
  CHECK(cudaMalloc(&b, 4ull * n));
  CHECK(cudaMalloc(&c, 4ull * n));
  CHECK(cudaMalloc(&idx, 4ull * n));
  CHECK(cudaMalloc(&data, 4ull * n));
  CHECK(cudaMalloc(&bins, 1024));
  std::vector<float> h(n, 1.5f);
  std::vector<int> hi(n);
  CHECK(cudaMemcpy(a, h.data(), 4ull * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, h.data(), 4ull * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(c, 0, 4ull * n));
  CHECK(cudaMemset(bins, 0, 1024));
  unsigned s = 12345;
  for (int i = 0; i < n; ++i) {
    s = s * 1664525u + 1013904223u;
    hi[i] = (s >> 7) % n;
  }
  CHECK(cudaMemcpy(idx, hi.data(), 4ull * n, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(data, hi.data(), 4ull * n, cudaMemcpyHostToDevice));
  float f[25];
  for (int i = 0; i < 25; ++i) f[i] = i;
  CHECK(cudaMemcpyToSymbol(filter, f, sizeof f));
  cudaArray_t arr;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&arr, &d, 2048, 2048));
  {
    std::vector<float> ha(2048 * 2048, 1);
    CHECK(cudaMemcpy2DToArray(arr, 0, 0, ha.data(), 2048 * 4, 2048 * 4, 2048, cudaMemcpyHostToDevice));
  }
  cudaResourceDesc rd{};
  rd.resType = cudaResourceTypeArray;
  rd.res.array.array = arr;
  cudaTextureDesc td{};
  td.readMode = cudaReadModeElementType;
  td.filterMode = cudaFilterModePoint;
  cudaTextureObject_t tp, tl;
  CHECK(cudaCreateTextureObject(&tp, &rd, &td, nullptr));
  td.filterMode = cudaFilterModeLinear;
  CHECK(cudaCreateTextureObject(&tl, &rd, &td, nullptr));
  auto time = [&](const char* name, auto launch) {
    if (only && strcmp(only, "all") && strcmp(only, name)) return;
    double best = 1e9;
    for (int k = 0; k < launches; ++k) {
      const double t = now();
      launch();
      CHECK(cudaGetLastError());
      CHECK(cudaDeviceSynchronize());
      best = now() - t < best ? now() - t : best;
    }
    fprintf(stderr, "TIME %s %.6f\n", name, best);
  };
  int B = n / 256;
  vadd<<<1, 256>>>(a, b, c, 256);  // loads the module: that is start-up, and no kernel's own time
  CHECK(cudaDeviceSynchronize());
  time("vadd", [&] { vadd<<<B, 256>>>(a, b, c, n); });
  time("vadd4", [&] { vadd4<<<B / 4, 256>>>((float4*)a, (float4*)b, (float4*)c, n / 4); });
  time("saxpy_stride", [&] { saxpy_stride<<<11 * 8, 256>>>(2, a, c, n); });
  dim3 g16(m / 16, m / 16), g32(m / 32, m / 32);
  time("matmul16", [&] { matmul<16><<<g16, dim3(16, 16)>>>(a, b, c, m); });
  time("matmul32", [&] { matmul<32><<<g32, dim3(32, 32)>>>(a, b, c, m); });
  time("matmul16a", [&] { matmul_aligned<16><<<g16, dim3(16, 16)>>>(a, b, c, m); });
  time("matmul32a", [&] { matmul_aligned<32><<<g32, dim3(32, 32)>>>(a, b, c, m); });
  time("matmul_naive", [&] { matmul_naive<<<g16, dim3(16, 16)>>>(a, b, c, m); });
  time("stride32", [&] { stride32<<<B / 4, 256>>>(a, c, n); });
  time("gather", [&] { gather<<<B / 4, 256>>>(idx, a, c, n / 4); });
  time("histogram", [&] { histogram<<<11 * 8, 256>>>(data, bins, n / 2); });
  time("histogram_global", [&] { histogram_global<<<B / 8, 256>>>(data, bins, n / 8); });
  time("tex", [&] { tex<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(tp, c, w, w); });
  time("tex_linear", [&] { tex_linear<<<dim3(w / 16, w / 16), dim3(16, 16)>>>(tl, c, w, w); });
  time("transpose_naive", [&] { transpose_naive<<<dim3(w / 32, w / 32), dim3(32, 8)>>>(a, c, w); });
  time("transpose_tile", [&] { transpose_tile<0><<<dim3(w / 32, w / 32), dim3(32, 8)>>>(a, c, w); });
  time("transpose_pad", [&] { transpose_tile<1><<<dim3(w / 32, w / 32), dim3(32, 8)>>>(a, c, w); });
  time("reduce", [&] { reduce<<<11 * 8, 256>>>(a, c, n); });
  time("reduce_tree", [&] { reduce_tree<<<B, 256>>>(a, c, n); });
  time("stencil", [&] { stencil<<<B, 256>>>(a, c, n); });
  time("aos", [&] { aos<<<B / 4, 256>>>((P*)a, n / 4); });
  time("conv", [&] { conv<<<dim3(w / 32, w / 8), dim3(32, 8)>>>(a, c, w, w); });
  time("collatz", [&] { collatz<<<B / 16, 256>>>((int*)c, n / 16); });
  time("local_array", [&] { local_array<<<B / 16, 256>>>(data, (int*)c, n / 16); });
  time("cp_copy", [&] { cp_copy<<<B / 4, 256>>>((float4*)a, (float4*)c, n / 4); });
  time("bytes", [&] { bytes<<<B, 256>>>((unsigned char*)a, (unsigned char*)c, n); });
  time("alu", [&] { alu<<<256, 256>>>(c, 500); });
}

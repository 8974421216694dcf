// Kernels of the kinds that the course teaches, small and whole. Before each stand the accesses that the machine makes of it,
// by the rules in joins.cpp, worked out by hand from the text: for each kind of memory, how many instructions of how many bits.
// A tool that records the same of machine code is calibrate/record_widths.py; where its summary differs, it is right.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// --- matrix products ---

//= global load 2x32; global store 1x32; shared load 4x128 16x32; shared store 2x32
__global__ void product_tile16(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    as[y][x] = a[row * n + t * 16 + x];
    bs[y][x] = b[(t * 16 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

//= global load 2x32; global store 1x32; shared load 8x128 32x32; shared store 2x32
__global__ void product_tile32(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][32], bs[32][32];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int t = 0; t < n / 32; ++t) {
    as[y][x] = a[row * n + t * 32 + x];
    bs[y][x] = b[(t * 32 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A row of 33 floats moves the tile's rows off any alignment.
//= global load 2x32; global store 1x32; shared load 64x32; shared store 2x32
__global__ void product_padded(const float* a, const float* b, float* c, int n) {
  __shared__ float as[32][33], bs[32][33];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int t = 0; t < n / 32; ++t) {
    as[y][x] = a[row * n + t * 32 + x];
    bs[y][x] = b[(t * 32 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// Four by four outputs a thread, both tiles with k outermost: each step reads two vectors.
//= global load 4x32; global store 16x32; shared load 16x128; shared store 4x32
__global__ void product_registers4(const float* a, const float* b, float* c, int n) {
  __shared__ float as[8][64], bs[8][64];  // of a: its columns
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  float sum[4][4] = {};
  for (int k0 = 0; k0 < n; k0 += 8) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const int i = t + 256 * j;
      as[i / 64][i % 64] = a[(blockIdx.y * 64 + i % 64) * n + k0 + i / 64];
      bs[i / 64][i % 64] = b[(k0 + i / 64) * n + blockIdx.x * 64 + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += as[k][y * 4 + i] * bs[k][x * 4 + j];
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * 64 + y * 4 + i) * n + blockIdx.x * 64 + x * 4 + j] = sum[i][j];
}

// Two by two outputs: pairs.
//= global load 2x32; global store 4x32; shared load 32x64; shared store 2x32
__global__ void product_registers2(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][32], bs[16][32];
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  float sum[2][2] = {};
  for (int k0 = 0; k0 < n; k0 += 16) {
    as[t / 32][t % 32] = a[(k0 + t / 32) * n + t % 32];
    bs[t / 32][t % 32] = b[(k0 + t / 32) * n + t % 32];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k)
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) sum[i][j] += as[k][y * 2 + i] * bs[k][x * 2 + j];
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) c[(y * 2 + i) * n + x * 2 + j] = sum[i][j];
}

//= global load 2x64; global store 1x64; shared load 8x128 16x64; shared store 2x64
__global__ void product_double(const double* a, const double* b, double* c, int n) {
  __shared__ double as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  double sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    as[y][x] = a[row * n + t * 16 + x];
    bs[y][x] = b[(t * 16 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += as[y][k] * bs[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A row of halves: vectors of at most four.
//= global load 2x16; global store 1x32; shared load 4x64 16x16; shared store 2x16
__global__ void product_half(const __half* a, const __half* b, float* c, int n) {
  __shared__ __half as[16][16], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int t = 0; t < n / 16; ++t) {
    as[y][x] = a[row * n + t * 16 + x];
    bs[y][x] = b[(t * 16 + y) * n + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += __half2float(as[y][k]) * __half2float(bs[k][x]);
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// --- vectors of which parts are used ---

//= global load 1x32; global store 1x32
__global__ void uses_x(const float4* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x].x;
}
//= global load 1x32; global store 1x32
__global__ void uses_w(const float4* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x].w;
}
//= global load 1x64; global store 1x32
__global__ void uses_xy(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.y;
}
//= global load 1x64; global store 1x32
__global__ void uses_zw(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.z + v.w;
}
//= global load 2x32; global store 1x32
__global__ void uses_xz(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.z;
}
//= global load 2x32; global store 1x32
__global__ void uses_yz(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.y + v.z;
}
//= global load 2x32; global store 1x32
__global__ void uses_xw(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x * v.w;
}
//= global load 1x128; global store 1x32
__global__ void uses_xyw(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.w;
}
//= global load 1x128; global store 1x32
__global__ void uses_all(const float4* p, float* out) {
  const float4 v = p[threadIdx.x];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
//= global load 1x32; global store 1x32
__global__ void uses_half_of_pair(const float2* p, float* out) {
  out[threadIdx.x] = p[threadIdx.x].y;
}
//= global load 1x64; global store 1x64
__global__ void uses_one_double(const double2* p, double* out) {
  out[threadIdx.x] = p[threadIdx.x].y;
}
//= global load 1x128; global store 1x128
__global__ void copies_vectors(const float4* p, float4* out) {
  out[threadIdx.x] = p[threadIdx.x];
}
//= shared store 1x128; shared load 2x32; global load 1x128; global store 1x32
__global__ void shared_vector_xz(const float4* p, float* out) {
  __shared__ float4 tile[256];
  tile[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  const float4 v = tile[threadIdx.x ^ 1];
  out[threadIdx.x] = v.x + v.z;
}

// --- structs and arrays of structs ---

struct Four {
  float a, b, c, d;
};
struct alignas(16) Aligned {
  float a, b, c, d;
};
struct Three {
  float x, y, z;
};

//= global load 4x32; global store 1x32
__global__ void struct_fields(const Four* p, float* out) {
  const Four v = p[threadIdx.x];
  out[threadIdx.x] = v.a + v.b + v.c + v.d;
}
//= global load 1x128; global store 1x32
__global__ void aligned_fields(const Aligned* p, float* out) {
  const Aligned v = p[threadIdx.x];
  out[threadIdx.x] = v.a + v.b + v.c + v.d;
}
//= global load 1x128; global store 1x128
__global__ void aligned_copy(const Aligned* p, Aligned* out) {
  out[threadIdx.x] = p[threadIdx.x];
}
//= global load 3x32; global store 3x32
__global__ void triples_copy(const Three* p, Three* out) {
  out[threadIdx.x] = p[threadIdx.x];
}
//= global load 3x32; global store 3x32
__global__ void triples_to_arrays(const Three* p, float* x, float* y, float* z) {
  const Three v = p[threadIdx.x];
  x[threadIdx.x] = v.x, y[threadIdx.x] = v.y, z[threadIdx.x] = v.z;
}
//= global load 3x32; shared store 3x32; shared load 3x32; global store 3x32
__global__ void triples_through_tile(const float* p, Three* out) {
  __shared__ float tile[768];
  for (int i = 0; i < 3; ++i) tile[threadIdx.x + i * 256] = p[threadIdx.x + i * 256];
  __syncthreads();
  out[threadIdx.x] = {tile[3 * threadIdx.x], tile[3 * threadIdx.x + 1], tile[3 * threadIdx.x + 2]};
}
// Four fields in shared memory, at a stride of 16: read as one, and written as one.
//= global load 4x32; shared store 1x128; shared load 1x128; global store 1x32
__global__ void structs_in_tile(const float* p, float* out) {
  __shared__ Four tile[256];
  const int t = threadIdx.x;
  tile[t] = {p[t], p[t + 256], p[t + 512], p[t + 768]};
  __syncthreads();
  const Four v = tile[255 - t];
  out[t] = v.a + v.b + v.c + v.d;
}
// Two of four fields that are not a pair.
//= global load 2x32; shared store 2x32; shared load 2x32; global store 1x32
__global__ void fields_apart(const float* p, float* out) {
  __shared__ Four tile[256];
  const int t = threadIdx.x;
  tile[t].b = p[t], tile[t].c = p[t + 256];
  __syncthreads();
  out[t] = tile[t ^ 1].b + tile[t ^ 1].c;
}
// A stride of 8 proves pairs only.
//= global load 2x32; shared store 1x64; shared load 2x64; global store 1x32
__global__ void pairs_in_tile(const float* p, float* out) {
  __shared__ float tile[514];
  const int t = threadIdx.x;
  tile[2 * t] = p[t], tile[2 * t + 1] = p[t + 256];
  __syncthreads();
  out[t] = tile[2 * t] + tile[2 * t + 1] + tile[2 * t + 2] + tile[2 * t + 3];
}

// --- stencils, windows, reductions, scans ---

//= global load 1x32; shared store 1x32; shared load 3x32; global store 1x32
__global__ void stencil3(const float* in, float* out) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  if (t > 0 && t < 255) out[blockIdx.x * 256 + t] = tile[t - 1] + tile[t] + tile[t + 1];
}
//= global load 7x32; global store 1x32
__global__ void stencil7_global(const float* in, float* out) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  out[i] = in[i] + in[i + 1] + in[i + 2] + in[i + 3] + in[i + 4] + in[i + 5] + in[i + 6];
}
// Four outputs a thread: seven words from an aligned place, six vectors' worth in two and a single.
//= global load 4x32; shared store 4x32; shared load 2x128; global store 4x32
__global__ void window4_of_tile(const float* in, float* out) {
  __shared__ float tile[1032];
  const int t = threadIdx.x;
  for (int i = 0; i < 4; ++i) tile[t + 256 * i] = in[t + 256 * i];
  __syncthreads();
  float v[7];
  for (int i = 0; i < 7; ++i) v[i] = tile[4 * t + i];
  for (int i = 0; i < 4; ++i) out[t + 256 * i] = v[i] + v[i + 1] + v[i + 2] + v[i + 3];
}
//= global load 1x32; shared store 2x32; shared load 3x32; global store 1x32
__global__ void block_sum(const float* in, float* out) {
  __shared__ float partial[256];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
#pragma unroll 1
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
// The last step of many reductions: one thread adds the warps' sums.
//= global load 1x32; shared store 1x32; shared load 2x128; global store 1x32
__global__ void warp_sums(const float* in, float* out) {
  __shared__ float partial[8];
  const int t = threadIdx.x;
  float v = in[blockIdx.x * 256 + t];
  for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(~0u, v, d);
  if (t % 32 == 0) partial[t / 32] = v;
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int w = 0; w < 8; ++w) sum += partial[w];
    out[blockIdx.x] = sum;
  }
}
//= global load 1x128; global store 1x32
__global__ void vector_sum(const float4* in, float* out, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 256) {
    const float4 v = in[i];
    sum += v.x + v.y + v.z + v.w;
  }
  out[threadIdx.x] = sum;
}
//= global load 1x32; shared store 2x32; shared load 3x32; global store 1x32
__global__ void block_scan(const float* in, float* out) {
  __shared__ float tile[256];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
#pragma unroll 1
  for (int d = 1; d < 256; d *= 2) {
    const float v = t >= d ? tile[t - d] : 0;
    __syncthreads();
    tile[t] = v + tile[t];
    __syncthreads();
  }
  out[t] = tile[t];
}
//= global load 2x32; global store 1x32
__global__ void softmax_row(const float* in, float* out) {
  float most = -1e30f, sum = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 32) {
    const float v = in[i], m = fmaxf(most, v);
    sum = sum * __expf(most - m) + __expf(v - m);
    most = m;
  }
#pragma unroll 1
  for (int i = threadIdx.x; i < 1024; i += 32) out[i] = __expf(in[i] - most) * __frcp_rn(sum);
}

// --- transposes and histograms ---

//= global load 1x32; shared store 1x32; shared load 1x32; global store 1x32
__global__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
//= global load 4x32; shared store 4x32; shared load 4x32; global store 4x32
__global__ void transpose_rows(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    tile[threadIdx.y + i][threadIdx.x] =
        in[(blockIdx.y * 32 + threadIdx.y + i) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    out[(blockIdx.x * 32 + threadIdx.y + i) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y + i];
}
// Unpadded, each thread reads four of a row that lie side by side: one vector.
//= global load 4x32; shared store 4x32; shared load 1x128; global store 4x32
__global__ void transpose_four(const float* in, float* out, int n) {
  __shared__ float tile[32][32];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    tile[threadIdx.y + 8 * i][threadIdx.x] = in[(threadIdx.y + 8 * i) * n + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    out[(threadIdx.y * 4 + i) * n + threadIdx.x] = tile[threadIdx.x][threadIdx.y * 4 + i];
}
//= global load 1x8; shared store 1x32; shared load 1x32
__global__ void histogram(const unsigned char* in, unsigned* out) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[in[blockIdx.x * 256 + threadIdx.x]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
// An atomic between two loads of shared memory ends the run.
//= shared load 2x32; global load 1x32; shared store 1x32; global store 1x32
__global__ void atomic_between(const int* in, int* out) {
  __shared__ int tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int v = tile[4 * (t & 15)];
  atomicAdd(&tile[512 + t], v);
  out[t] = v + tile[4 * (t & 15) + 1];
}
// One to other memory does not.
//= shared load 1x64; global load 1x32; shared store 1x32; global store 1x32
__global__ void other_atomic_between(const int* in, int* out, int* total) {
  __shared__ int tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int v = tile[4 * (t & 15)];
  atomicAdd(total, v);
  out[t] = v + tile[4 * (t & 15) + 1];
}
//= shared load 2x32; global load 1x32; shared store 1x32; global store 1x32
__global__ void barrier_between(const int* in, int* out) {
  __shared__ int tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int v = tile[4 * (t & 15)];
  __syncthreads();
  out[t] = v + tile[4 * (t & 15) + 1];
}
//= shared load 2x32; global load 1x32; shared store 1x32; global store 1x32
__global__ void warp_barrier_between(const int* in, int* out) {
  __shared__ int tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int v = tile[4 * (t & 15)];
  __syncwarp();
  out[t] = v + tile[4 * (t & 15) + 1];
}
//= shared load 1x64; global load 1x32; shared store 1x32; global store 1x32
__global__ void shuffle_between(const int* in, int* out) {
  __shared__ int tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const int v = __shfl_xor_sync(~0u, tile[4 * (t & 15)], 1);
  out[t] = v + tile[4 * (t & 15) + 1];
}
// An IEEE division has a slow path; an approximate one has none.
//= shared load 2x32; global load 2x32; shared store 1x32; global store 2x32
__global__ void division_between(const float* in, float* out) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const float v = out[t] / tile[4 * (t & 15)];
  out[t + 1] = v;
  out[t] = v + tile[4 * (t & 15) + 1];
}
//= shared load 1x64; global load 1x32; shared store 1x32; global store 1x32
__global__ void fast_division_between(const float* in, float* out) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const float v = __fdividef(3.0f, tile[4 * (t & 15)]);
  out[t] = v + tile[4 * (t & 15) + 1];
}
//= shared load 2x32; global load 1x32; shared store 1x32; global store 1x32
__global__ void volatile_loads(const float* in, float* out) {
  __shared__ float tile[1024];
  volatile float* v = tile;
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  out[t] = v[4 * (t & 15)] + v[4 * (t & 15) + 1];
}

// --- half and bfloat16 ---

//= global load 1x32; global store 1x16
__global__ void half_pairs(const __half2* in, __half* out) {
  const __half2 v = in[threadIdx.x];
  out[threadIdx.x] = __hadd(__low2half(v), __high2half(v));
}
//= global load 4x16; global store 1x32
__global__ void half_singles(const __half* in, float* out) {
  const int t = threadIdx.x * 4;
  out[threadIdx.x] =
      __half2float(in[t]) + __half2float(in[t + 1]) + __half2float(in[t + 2]) + __half2float(in[t + 3]);
}
//= global load 1x16; shared store 1x16; shared load 2x64; global store 1x32
__global__ void half_tile(const __half* in, float* out) {
  __shared__ __half tile[256 * 8];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += __half2float(tile[8 * (t & 127) + i]);
  out[t] = sum;
}
//= global load 1x16; shared store 1x16; shared load 2x64; global store 1x32
__global__ void bfloat_tile(const __nv_bfloat16* in, float* out) {
  __shared__ __nv_bfloat16 tile[256 * 8];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8; ++i) sum += __bfloat162float(tile[8 * (t & 127) + i]);
  out[t] = sum;
}
//= global load 1x8; shared store 1x8; shared load 4x8; global store 1x32
__global__ void byte_tile(const unsigned char* in, int* out) {
  __shared__ unsigned char tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  out[t] = tile[4 * t] + tile[4 * t + 1] + tile[4 * t + 2] + tile[4 * t + 3];
}

// --- what proves an alignment ---

//= global load 1x32; shared store 1x32; shared load 4x32; global store 1x32
__global__ void unknown_stride(const float* in, float* out, int stride) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const float* p = tile + t * stride;
  out[t] = p[0] + p[1] + p[2] + p[3];
}
//= global load 1x32; shared store 1x32; shared load 1x128; global store 1x32
__global__ void masked_index(const float* in, float* out, int i) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  const float* p = tile + ((t + i) & 0x3FC);
  out[t] = p[0] + p[1] + p[2] + p[3];
}
// A counter that starts at a multiple of 4 and goes on by 4.
//= global load 1x32; shared store 1x32; shared load 1x128; global store 1x32
__global__ void counted_index(const float* in, float* out, int n) {
  __shared__ float tile[1024];
  const int t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; i += 4) sum += tile[i] * tile[i + 1] - tile[i + 2] * tile[i + 3];
  out[t] = sum;
}
extern __shared__ float dynamic[];
//= global load 1x32; shared store 1x32; shared load 1x128; global store 1x32
__global__ void dynamic_tile(const float* in, float* out) {
  const int t = threadIdx.x;
  dynamic[t] = in[t];
  __syncthreads();
  out[t] = dynamic[4 * t] + dynamic[4 * t + 1] + dynamic[4 * t + 2] + dynamic[4 * t + 3];
}
// A vector promises what the words behind it need.
//= global load 2x128; global store 1x32
__global__ void promised(const float* in, float* out) {
  const float* p = in + 8 * threadIdx.x;
  const float4 v = *reinterpret_cast<const float4*>(p);
  out[threadIdx.x] = v.x + v.y + v.z + v.w + p[4] + p[5] + p[6] + p[7];
}

// --- constants and local memory ---

__constant__ float4 table[64];
__constant__ float words[256];
//= constant load 2x64; global load 1x32; global store 1x32
__global__ void constant_vectors(const int* in, float* out) {
  const float4 v = table[in[threadIdx.x]];
  out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
//= constant load 1x32; global load 1x32; global store 1x32
__global__ void constant_words(const int* in, float* out) {
  out[threadIdx.x] = words[in[threadIdx.x]];
}
//= global load 5x32; global store 1x32; local store 1x128; local load 1x32
__global__ void local_array(const float* in, const int* index, float* out) {
  const int t = threadIdx.x;
  float v[4];
  for (int i = 0; i < 4; ++i) v[i] = in[t + i * 256];
  out[t] = v[index[t]];
}

// --- pixels, copies, gathers ---

//= global load 1x32; global store 1x32
__global__ void gather(const float* in, float* out, int mask) {
  out[threadIdx.x] = in[(threadIdx.x * 77) & mask];
}
//= global load 4x32; global store 4x32
__global__ void four_apart(const float* in, float* out) {
  const int t = threadIdx.x;
  float v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = in[t + 256 * i];
#pragma unroll
  for (int i = 0; i < 4; ++i) out[t + 256 * i] = v[i];
}
//= global load 4x32; global store 4x32
__global__ void four_in_a_row(const float* in, float* out) {
  const int t = 4 * threadIdx.x;
  float v[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) v[i] = in[t + i];
#pragma unroll
  for (int i = 0; i < 4; ++i) out[t + i] = 2 * v[i];
}
//= global load 2x32; global store 1x32
__global__ void saxpy(const float* x, float* y, float a, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
//= global load 1x128; shared store 4x32; shared load 4x32; global store 1x128
__global__ void reverse_vectors(const float4* in, float4* out) {
  __shared__ float tile[4][257];
  const int t = threadIdx.x;
  const float4 v = in[t];
  tile[0][t] = v.x, tile[1][t] = v.y, tile[2][t] = v.z, tile[3][t] = v.w;
  __syncthreads();
  const int r = 255 - t;
  out[t] = make_float4(tile[3][r], tile[2][r], tile[1][r], tile[0][r]);
}

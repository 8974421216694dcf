// Kernels that tests compile with nvcc and run: matrices on tensor cores. The layouts of mma.sync are written out here as the PTX manual
// draws them, lane by lane, and not taken from the simulator.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;
using u32 = unsigned;

/// Elements of A, B and C by name: sets of registers are filled from matrices that lie by rows (B by rows of k).
template <int bits>
__device__ u32 packed(const int* from, int row, int first, int stride, bool down) {
  u32 v = 0;
  for (int s = 0; s < 32 / bits; ++s) {
    const int e = down ? from[(first + s) * stride + row] : from[row * stride + first + s];
    v |= (static_cast<u32>(e) & ((1u << bits) - 1)) << bits * s;
  }
  return v;
}
__device__ u32 halves(const float* from, int row, int first, int stride, bool down) {
  const __half2 h = down ? __floats2half2_rn(from[first * stride + row], from[(first + 1) * stride + row])
                         : __floats2half2_rn(from[row * stride + first], from[row * stride + first + 1]);
  return *reinterpret_cast<const u32*>(&h);
}
__device__ u32 bfloats(const float* from, int row, int first, int stride, bool down) {
  const __nv_bfloat162 h =
      down ? __floats2bfloat162_rn(from[first * stride + row], from[(first + 1) * stride + row])
           : __floats2bfloat162_rn(from[row * stride + first], from[row * stride + first + 1]);
  return *reinterpret_cast<const u32*>(&h);
}

// m16n8k16, 16-bit floats: a0 a1 (row g), a2 a3 (row g + 8), a4 a5 (row g, 8 further), a6 a7.
template <class Pack>
__device__ void operands_16(const float* a, const float* b, u32 (&ra)[4], u32 (&rb)[2], Pack pack) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  for (int i = 0; i < 4; ++i) ra[i] = pack(a, g + i % 2 * 8, t * 2 + i / 2 * 8, 16, false);
  for (int i = 0; i < 2; ++i) rb[i] = pack(b, g, t * 2 + i * 8, 8, true);
}
__device__ void sums_out(float* d, const float (&rd)[4]) {
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = rd[i];
}
extern "C" __global__ void by_hand_f16(const float* a, const float* b, float* d) {
  u32 ra[4], rb[2];
  operands_16(a, b, ra, rb, halves);
  float rd[4] = {1, 2, 3, 4};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 4; ++i) rd[i] -= static_cast<float>(i + 1);
  sums_out(d, rd);
}
extern "C" __global__ void by_hand_sums_f16(const float* a, const float* b, float* d) {
  u32 ra[4], rb[2], rd[2] = {0, 0};
  operands_16(a, b, ra, rb, halves);
  asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
      : "+r"(rd[0]), "+r"(rd[1])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  const float2 low = __half22float2(*reinterpret_cast<__half2*>(&rd[0])),
               high = __half22float2(*reinterpret_cast<__half2*>(&rd[1]));
  sums_out(d, {low.x, low.y, high.x, high.y});
}
extern "C" __global__ void by_hand_bf16(const float* a, const float* b, float* d) {
  u32 ra[4], rb[2];
  operands_16(a, b, ra, rb, bfloats);
  float rd[4] = {};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  sums_out(d, rd);
}
extern "C" __global__ void by_hand_tf32(const float* a, const float* b, float* d) {  // k = 8, twice
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  float rd[4] = {};
  for (int k = 0; k < 16; k += 8) {
    u32 ra[4], rb[2];
    for (int i = 0; i < 4; ++i) ra[i] = __float_as_uint(a[(g + i % 2 * 8) * 16 + k + t + i / 2 * 4]);
    for (int i = 0; i < 2; ++i) rb[i] = __float_as_uint(b[(k + t + i * 4) * 8 + g]);
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  }
  sums_out(d, rd);
}
extern "C" __global__ void by_hand_f64(const float* a, const float* b, float* d) {  // m16n8k16
  const int lane = threadIdx.x, g = lane / 4, t = lane % 4;
  double ra[8], rb[4], rd[4] = {};
  for (int i = 0; i < 8; ++i) ra[i] = a[(g + i % 2 * 8) * 16 + t + i / 2 * 4];
  for (int i = 0; i < 4; ++i) rb[i] = b[(t + i * 4) * 8 + g];
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
      "{%12,%13,%14,%15}, "
      "{%0,%1,%2,%3};"
      : "+d"(rd[0]), "+d"(rd[1]), "+d"(rd[2]), "+d"(rd[3])
      : "d"(ra[0]), "d"(ra[1]), "d"(ra[2]), "d"(ra[3]), "d"(ra[4]), "d"(ra[5]), "d"(ra[6]), "d"(ra[7]),
        "d"(rb[0]), "d"(rb[1]), "d"(rb[2]), "d"(rb[3]));
  sums_out(d, {static_cast<float>(rd[0]), static_cast<float>(rd[1]), static_cast<float>(rd[2]),
               static_cast<float>(rd[3])});
}

// Whole numbers: rows g and g + 8, then further along k.
#define WHOLE(name, shape, type, bits, K, rest)                                                           \
  extern "C" __global__ void name(const int* a, const int* b, int* d) {                                   \
    const int lane = threadIdx.x, g = lane / 4, t = lane % 4, each = 32 / bits;                           \
    u32 ra[4], rb[2];                                                                                     \
    int rd[4] = {5, 6, 7, 8};                                                                             \
    for (int i = 0; i < 4; ++i) ra[i] = packed<bits>(a, g + i % 2 * 8, (t + i / 2 * 4) * each, K, false); \
    for (int i = 0; i < 2; ++i) rb[i] = packed<bits>(b, g, (t + i * 4) * each, 8, true);                  \
    asm("mma.sync.aligned." shape ".row.col.s32." type "." type ".s32" rest                               \
        " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                                          \
        : "+r"(rd[0]), "+r"(rd[1]), "+r"(rd[2]), "+r"(rd[3])                                              \
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));                        \
    for (int i = 0; i < 4; ++i) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = rd[i] - 5 - i;                   \
  }
WHOLE(by_hand_s8, "m16n8k32", "s8", 8, 32, "")
WHOLE(by_hand_u8, "m16n8k32", "u8", 8, 32, "")
WHOLE(by_hand_s4, "m16n8k64", "s4", 4, 64, "")
WHOLE(by_hand_u4, "m16n8k64", "u4", 4, 64, "")
WHOLE(by_hand_xor, "m16n8k256", "b1", 1, 256, ".xor.popc")
WHOLE(by_hand_and, "m16n8k256", "b1", 1, 256, ".and.popc")

/// The first generation's shape: four products, by lanes 4q to 4q + 3 and 16 further. A by rows, B by columns.
extern "C" __global__ void by_hand_quads(const float* a, const float* b,
                                         float* d) {  // 4 times 8x4, 4x8 and 8x8
  const int lane = threadIdx.x, q = lane % 16 / 4, at = lane % 4 + lane / 16 * 4;
  a += q * 32, b += q * 32, d += q * 64;
  u32 ra[2], rb[2];
  for (int i = 0; i < 2; ++i) {
    ra[i] = halves(a, at, i * 2, 4, false);
    rb[i] = halves(b, at, i * 2, 8, true);
  }
  float rd[8] = {};
  asm("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
      "{%0,%1,%2,%3,%4,%5,%6,%7};"
      : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3]), "+f"(rd[4]), "+f"(rd[5]), "+f"(rd[6]), "+f"(rd[7])
      : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(rb[1]));
  for (int i = 0; i < 8; ++i)
    d[((lane & 1) + (i & 2) + lane / 16 * 4) * 8 + (i & 4) + (lane & 2) + (i & 1)] = rd[i];
}

// --- wmma: D = A B + D, one warp, one fragment; all layouts ---

template <class T, class Sum, int M, int N, int K, class A, class B>
__device__ void one(const T* a, const T* b, Sum* d, int stride_a, int stride_b, wmma::layout_t layout,
                    int stride_d) {
  using In = T;
  wmma::fragment<wmma::matrix_a, M, N, K, In, A> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, In, B> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> fd;
  wmma::load_matrix_sync(fa, a, stride_a);
  wmma::load_matrix_sync(fb, b, stride_b);
  wmma::load_matrix_sync(fd, d, stride_d, layout);
  wmma::mma_sync(fd, fa, fb, fd);
  wmma::store_matrix_sync(d, fd, stride_d, layout);
}
#define LAYOUTS(name, T, Sum, M, N, K)                                                                  \
  extern "C" __global__ void name(const T* a, const T* b, Sum* d, int down_a, int down_b, int down_d) { \
    using R = wmma::row_major;                                                                          \
    using C = wmma::col_major;                                                                          \
    const auto layout = down_d ? wmma::mem_col_major : wmma::mem_row_major;                             \
    const int sa = down_a ? M : K, sb = down_b ? K : N, sd = down_d ? M : N;                            \
    if (!down_a && !down_b) one<T, Sum, M, N, K, R, R>(a, b, d, sa, sb, layout, sd);                    \
    if (!down_a && down_b) one<T, Sum, M, N, K, R, C>(a, b, d, sa, sb, layout, sd);                     \
    if (down_a && !down_b) one<T, Sum, M, N, K, C, R>(a, b, d, sa, sb, layout, sd);                     \
    if (down_a && down_b) one<T, Sum, M, N, K, C, C>(a, b, d, sa, sb, layout, sd);                      \
  }
LAYOUTS(wmma_f16_16, __half, float, 16, 16, 16)
LAYOUTS(wmma_f16_32, __half, float, 32, 8, 16)
LAYOUTS(wmma_f16_8, __half, float, 8, 32, 16)
LAYOUTS(wmma_f16_f16, __half, __half, 16, 16, 16)
LAYOUTS(wmma_bf16_16, __nv_bfloat16, float, 16, 16, 16)
LAYOUTS(wmma_bf16_32, __nv_bfloat16, float, 32, 8, 16)
LAYOUTS(wmma_bf16_8, __nv_bfloat16, float, 8, 32, 16)
LAYOUTS(wmma_s8_16, signed char, int, 16, 16, 16)
LAYOUTS(wmma_s8_32, signed char, int, 32, 8, 16)
LAYOUTS(wmma_u8_8, unsigned char, int, 8, 32, 16)
LAYOUTS(wmma_f64, double, double, 8, 8, 4)

/// From shared memory, where halves come as ldmatrix brings them; then every element by itself.
extern "C" __global__ void wmma_shared_scaled(const __half* a, const __half* b, float* d) {
  __shared__ __align__(32) __half tile[2][256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    tile[0][i] = a[i];
    tile[1][i] = b[i];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fa, tile[0], 16);
  wmma::load_matrix_sync(fb, tile[1], 16);
  wmma::load_matrix_sync(old, d, 16, wmma::mem_row_major);
  for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = fa.x[i] * __float2half(2.0f);
  wmma::mma_sync(sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = 0.5f * sum.x[i] + 3.0f * old.x[i];
  wmma::store_matrix_sync(d, sum, 16, wmma::mem_row_major);
}

// --- wrong ones ---

extern "C" __global__ void wrong_beyond(const __half* a, float* d, int from) {  // of a matrix of 16 x 16
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::load_matrix_sync(fa, a + from * 16, 16);
  if (threadIdx.x == 0) d[0] = __half2float(fa.x[0]);
}
extern "C" __global__ void wrong_store_beyond(float* d, int stride) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 1.0f);
  wmma::store_matrix_sync(d, sum, stride, wmma::mem_row_major);
}
__device__ void load_rows(const __half* row, u32 (&r)[4]) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(static_cast<u32>(__cvta_generic_to_shared(row)))
               : "memory");
}
/// The second warp reads what the first has stored. @param waits whether they meet between
extern "C" __global__ void shared_rows(const __half* a, u32* out, int waits) {
  __shared__ __align__(16) __half tile[256];
  if (threadIdx.x < 32)
    for (int i = threadIdx.x; i < 256; i += 32) tile[i] = a[i];
  if (waits) __syncthreads();
  if (threadIdx.x >= 32) {
    u32 r[4];
    load_rows(tile + threadIdx.x % 16 * 16 + threadIdx.x % 32 / 16 * 8, r);
    for (int i = 0; i < 4; ++i) out[i * 32 + threadIdx.x % 32] = r[i];
  }
}
extern "C" __global__ void unwritten_rows(u32* out) {
  __shared__ __align__(16) __half tile[256];
  u32 r[4];
  load_rows(tile + threadIdx.x % 16 * 16 + threadIdx.x / 16 * 8, r);
  out[threadIdx.x] = r[0];
}
/// Of A only the first rows were written. @param rows that are stored of the product
extern "C" __global__ void product_of_some_rows(const u32* a, float* d, int rows) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4;
  const u32 ra[4] = {a[g * 8 + t], a[(g + 8) * 8 + t], a[g * 8 + t + 4], a[(g + 8) * 8 + t + 4]};
  const u32 one = 0x3C003C00;
  float rd[4] = {};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%8}, "
      "{%0,%1,%2,%3};"
      : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(one));
  for (int i = 0; i < 4; ++i)
    if (g + i / 2 * 8 < rows) d[(g + i / 2 * 8) * 8 + t * 2 + i % 2] = rd[i];
}
extern "C" __global__ void some_lanes(float* d, int lanes) {
  if (static_cast<int>(threadIdx.x) >= lanes) return;
  float rd[4] = {};
  const u32 one = 0x3C003C00;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
      "{%0,%1,%2,%3};"
      : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
      : "r"(one));
  d[threadIdx.x] = rd[0];
}
/// Half a warp computes, and the others wait for it at a barrier.
extern "C" __global__ void wrong_half_warp(float* d) {
  if (threadIdx.x < 16) {
    float rd[4] = {};
    const u32 one = 0x3C003C00;
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, "
        "{%0,%1,%2,%3};"
        : "+f"(rd[0]), "+f"(rd[1]), "+f"(rd[2]), "+f"(rd[3])
        : "r"(one));
    d[threadIdx.x] = rd[0];
  }
  __syncthreads();
}
extern "C" __global__ void wrong_addresses(const __half* a, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::load_matrix_sync(fa, a + threadIdx.x * 8, 16);
  d[threadIdx.x] = __half2float(fa.x[0]);
}

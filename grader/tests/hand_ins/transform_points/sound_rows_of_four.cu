// expect: pass
/// @file
/// Sound in another style: rows of four floats in constant memory, Horner's rule as a template, symbol addressed by hand.
#include "transform_points.cuh"
__constant__ float4 rows[8][4];
template <int K>
struct horner {
  static __device__ float4 row(int r, float t) {
    const float4 h = horner<K + 1>::row(r, t);
    const float4 a = rows[K][r];
    return make_float4(fmaf(h.x, t, a.x), fmaf(h.y, t, a.y), fmaf(h.z, t, a.z), fmaf(h.w, t, a.w));
  }
};
template <>
struct horner<7> {
  static __device__ float4 row(int r, float) { return rows[7][r]; }
};
__device__ float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w;
}
__global__ void __launch_bounds__(192)
    kernel(const float4* __restrict__ in, float4* __restrict__ out, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t(192) + threadIdx.x; i < n;
       i += std::size_t(gridDim.x) * 192) {
    const float4 p = __ldg(in + i);
    float4 q;
    q.x = dot(horner<0>::row(0, p.w), p);
    q.y = dot(horner<0>::row(1, p.w), p);
    q.z = dot(horner<0>::row(2, p.w), p);
    q.w = dot(horner<0>::row(3, p.w), p);
    __stcs(out + i, q);
  }
}
extern "C" void transform_points_setup(const float* m, cudaStream_t s) {
  void* where = nullptr;
  cudaGetSymbolAddress(&where, rows);
  cudaMemcpyAsync(where, m, sizeof(rows), cudaMemcpyDefault, s);
}
extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t s) {
  if (n == 0) return;
  kernel<<<(unsigned)((n + 191) / 192), 192, 0, s>>>(in, out, n);
}
extern "C" void transform_points_matrices(float* m, cudaStream_t s) {
  void* where = nullptr;
  cudaGetSymbolAddress(&where, rows);
  cudaMemcpyAsync(m, where, sizeof(rows), cudaMemcpyDeviceToDevice, s);
}

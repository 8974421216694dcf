// expect: wasteful off_the_idea
/// @file
/// No tile at all: float4 and shuffles at radius 8, else prefix sums in global memory. The tile's bytes are asked for at
/// the launch and left alone.
#include "dynamic_tile.cuh"
__device__ __forceinline__ float4 from(float4 v, int lane) {
  return make_float4(__shfl_sync(~0u, v.x, lane), __shfl_sync(~0u, v.y, lane), __shfl_sync(~0u, v.z, lane),
                     __shfl_sync(~0u, v.w, lane));
}
__device__ float4 vec(const float* in, long long i, long long n) {
  if (i >= 0 && i + 4 <= n) return *reinterpret_cast<const float4*>(in + i);
  float4 v;
  v.x = i >= 0 && i < n ? in[i] : 0;
  v.y = i + 1 >= 0 && i + 1 < n ? in[i + 1] : 0;
  v.z = i + 2 >= 0 && i + 2 < n ? in[i + 2] : 0;
  v.w = i + 3 >= 0 && i + 3 < n ? in[i + 3] : 0;
  return v;
}
__global__ void eight(const float* __restrict__ in, float* __restrict__ out, long long n) {
  const int lane = threadIdx.x % 32;
  const long long i = static_cast<long long>(blockIdx.x) * 1024 + 4 * threadIdx.x;
  const float4 own = vec(in, i, n);
  float4 rim{};
  if (lane < 2) rim = vec(in, i - 8, n);
  if (lane >= 30) rim = vec(in, i + 8, n);
  float4 a = from(own, (lane - 2) & 31), b = from(own, (lane - 1) & 31), c = from(own, (lane + 1) & 31),
         d = from(own, (lane + 2) & 31);
  const float4 r1 = from(rim, 1), r0 = from(rim, 30);
  if (lane < 2) a = rim;
  if (lane == 0) b = r1;
  if (lane >= 30) d = rim;
  if (lane == 31) c = r0;
  const float mid =
      ((b.x + b.y) + (b.z + b.w)) + ((own.x + own.y) + (own.z + own.w)) + ((c.x + c.y) + (c.z + c.w));
  const float s0 = mid + ((a.x + a.y) + (a.z + a.w)) + d.x, s1 = mid + (a.y + (a.z + a.w)) + (d.x + d.y),
              s2 = mid + (a.z + a.w) + ((d.x + d.y) + d.z), s3 = mid + a.w + ((d.x + d.y) + (d.z + d.w));
  if (i + 4 <= n)
    *reinterpret_cast<float4*>(out + i) = make_float4(s0, s1, s2, s3);
  else {
    const float s[4] = {s0, s1, s2, s3};
    for (int k = 0; k < 4; ++k)
      if (i + k < n) out[i + k] = s[k];
  }
}
__global__ void prefix(const float* in, double* sums, long long n) {
  double carry = 0;
  if (threadIdx.x == 0) sums[0] = 0;
  for (long long first = 0; first < n; first += 32) {
    const long long i = first + threadIdx.x;
    double x = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
      const double y = __shfl_up_sync(~0u, x, d);
      if (threadIdx.x >= d) x += y;
    }
    if (i < n) sums[i + 1] = carry + x;
    carry += __shfl_sync(~0u, x, 31);
  }
}
__global__ void differences(const double* sums, float* out, long long n, long long radius) {
  for (int k = 0; k < 4; ++k) {
    const long long i = static_cast<long long>(blockIdx.x) * 1024 + 256 * k + threadIdx.x;
    if (i >= n) return;
    const long long at = i - radius < 0 ? 0 : i - radius, to = i + radius + 1 > n ? n : i + radius + 1;
    out[i] = static_cast<float>(sums[to] - sums[at]);
  }
}
extern "C" int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius,
                                cudaStream_t stream) {
  const std::size_t bytes = (dynamic_tile_outputs + 2 * radius) * sizeof(float);
  int most = 0;
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (bytes > static_cast<std::size_t>(most)) return cudaErrorInvalidValue;
  if (n == 0) return cudaSuccess;
  const auto blocks = static_cast<unsigned int>((n + 1023) / 1024);
  if (radius == 8) {
    eight<<<blocks, 256, bytes, stream>>>(in, out, n);
    return cudaSuccess;
  }
  cudaFuncSetAttribute(prefix, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  cudaFuncSetAttribute(differences, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  double* sums = nullptr;
  cudaMallocAsync(reinterpret_cast<void**>(&sums), (n + 1) * sizeof(double), stream);
  prefix<<<1, 32, bytes, stream>>>(in, sums, n);
  differences<<<blocks, 256, bytes, stream>>>(sums, out, n, radius);
  cudaFreeAsync(sums, stream);
  return cudaSuccess;
}

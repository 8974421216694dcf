/// @file
/// Kernels whose traffic can be counted by hand: which allocation, which hint, which kind of fetch.
#include <cuda_runtime.h>

namespace {

__device__ int hits;

__global__ void copy_and_count(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
    atomicExch(&hits, i);
  }
}

// Even lanes read one array, odd lanes the other: one request, two allocations.
__global__ void zip(const float* even, const float* odd, float* out) {
  const float* from = threadIdx.x % 2 == 0 ? even : odd;
  out[threadIdx.x] = from[threadIdx.x];
}

__global__ void hinted(const float* stream, const float* policy, const float* table, float* out) {
  const int i = threadIdx.x;
  unsigned long long first;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(first));
  float by_policy;
  asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(by_policy) : "l"(policy + i), "l"(first));
  __stcs(out + i, __ldcs(stream + i) + by_policy + __ldg(table + i % 4));
}

__global__ void fetch(cudaTextureObject_t smooth, cudaTextureObject_t point, cudaTextureObject_t line,
                      float* out) {
  const float x = threadIdx.x + 0.75f;
  const float4 four = tex2Dgather<float4>(smooth, 3.0f, 3.0f);
  out[threadIdx.x] = tex2D<float>(smooth, x, 1.25f) + tex2D<float>(point, x, 1.5f) +
                     tex1Dfetch<float>(line, threadIdx.x) + four.x;
}

__global__ void in_local(float* out) {
  volatile float mine[8];
  mine[threadIdx.x % 8] = 1;
  out[threadIdx.x] = mine[threadIdx.x % 8];
}

// An array with an index that counts, in PTX. ptxas unrolls the loop, and has registers for all of it.
__global__ void in_registers_after_all(const float* in, float* out) {
  float mine[8];
#pragma unroll 1
  for (int k = 0; k < 8; ++k) mine[k] = in[32 * k + threadIdx.x];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) sum += mine[k];
#pragma unroll
  for (int k = 0; k < 8; ++k) out[32 * k + threadIdx.x] = mine[k] - sum;
}

__global__ void one(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void four(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
__global__ void two_fours(const float4* __restrict__ in, float4* __restrict__ out) {
  const float4 a = in[threadIdx.x], b = in[threadIdx.x + 64];
  out[threadIdx.x] = a;
  out[threadIdx.x + 64] = b;
}

cudaTextureObject_t texture(const cudaResourceDesc& resource, cudaTextureFilterMode filter) {
  cudaTextureDesc description{};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
  description.filterMode = filter;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &description, nullptr);
  return object;
}

}  // namespace

extern "C" {
void count_copy(const float* in, float* out, int n) {
  copy_and_count<<<(n + 63) / 64, 64>>>(in, out, n);
}
void count_zip(const float* even, const float* odd, float* out) {
  zip<<<1, 32>>>(even, odd, out);
}
void count_hinted(const float* stream, const float* policy, const float* table, float* out) {
  hinted<<<1, 32>>>(stream, policy, table, out);
}
void count_local(float* out) {
  in_local<<<1, 32>>>(out);
}
void count_frameless(const float* in, float* out) {
  in_registers_after_all<<<1, 32>>>(in, out);
}
void count_one(const float* in, float* out) {
  one<<<1, 64>>>(in, out);
}
void count_four(const float* in, float* out) {
  four<<<1, 64>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out));
}
void count_two_fours(const float* in, float* out) {
  two_fours<<<1, 64>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out));
}
// An array of 64 x 8 texels, and @p line as linear memory.
void count_fetches(float* line, float* out) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &format, 64, 8, cudaArrayTextureGather);
  static float texels[64 * 8];
  cudaMemcpy2DToArray(array, 0, 0, texels, 256, 256, 8, cudaMemcpyHostToDevice);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  const cudaTextureObject_t smooth = texture(resource, cudaFilterModeLinear),
                            point = texture(resource, cudaFilterModePoint);
  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = line;
  linear.res.linear.desc = format;
  linear.res.linear.sizeInBytes = 256;
  const cudaTextureObject_t by_index = texture(linear, cudaFilterModePoint);
  fetch<<<1, 32>>>(smooth, point, by_index, out);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(smooth);
  cudaDestroyTextureObject(point);
  cudaDestroyTextureObject(by_index);
  cudaFreeArray(array);
}
}

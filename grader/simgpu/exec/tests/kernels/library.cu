// Kernels that tests compile with nvcc and run: what libraries make of ordinary calls (CUB, cooperative groups, pipelines, libcu++).
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/std/atomic>
namespace cg = cooperative_groups;
extern "C" __global__ void cubsum(const float* in, float* out) {
  using R = cub::BlockReduce<float, 128>;
  __shared__ typename R::TempStorage t;
  float v = in[blockIdx.x * 128 + threadIdx.x];
  float s = R(t).Sum(v);
  if (threadIdx.x == 0) atomicAdd(out, s);
}
extern "C" __global__ void cubscan(const int* in, int* out) {
  using R = cub::BlockScan<int, 128>;
  __shared__ typename R::TempStorage t;
  int v = in[threadIdx.x];
  R(t).InclusiveSum(v, v);
  out[threadIdx.x] = v;
}
extern "C" __global__ void cubsort(int* io) {
  using R = cub::BlockRadixSort<int, 128, 4>;
  __shared__ typename R::TempStorage t;
  int v[4];
  for (int k = 0; k < 4; ++k) v[k] = io[threadIdx.x * 4 + k];
  R(t).Sort(v);
  for (int k = 0; k < 4; ++k) io[threadIdx.x * 4 + k] = v[k];
}
extern "C" __global__ void gridsync(int* a, int* out) {
  auto g = cg::this_grid();
  a[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x + 1;
  g.sync();
  int s = 0;
  for (int b = 0; b < gridDim.x; ++b) s += a[b * blockDim.x + threadIdx.x];
  g.sync();
  a[blockIdx.x * blockDim.x + threadIdx.x] = 0;
  g.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      s + a[((blockIdx.x + 1) % gridDim.x) * blockDim.x + threadIdx.x];
}
extern "C" __global__ void cgreduce(const int* in, int* out) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<16>(b);
  int v = cg::reduce(t, in[threadIdx.x], cg::plus<int>());
  auto c = cg::coalesced_threads();
  if (t.thread_rank() == 0) atomicAdd(out, v);
  if (threadIdx.x % 3 == 0) {
    auto k = cg::coalesced_threads();
    if (k.thread_rank() == 0) atomicAdd(out + 1, k.size());
  }
}
extern "C" __global__ void pipeline(const float* in, float* out) {
  __shared__ alignas(16) float s[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], in + t, 4);
  __pipeline_commit();
  for (int k = 0; k < 4; ++k) {
    if (k < 3) {
      __pipeline_memcpy_async(&s[(k + 1) & 1][t], in + (k + 1) * 128 + t, 4);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[k * 128 + t] = s[k & 1][127 - t];
    __syncthreads();
  }
}
extern "C" __global__ void atomics(cuda::atomic<int, cuda::thread_scope_device>* a, unsigned long long* b,
                                   double* d) {
  a->fetch_add(1, cuda::memory_order_release);
  atomicMax(b, (unsigned long long)threadIdx.x);
  atomicAdd(d, 0.5);
  while (a->load(cuda::memory_order_acquire) < (int)(gridDim.x * blockDim.x)) {
  }
}
extern "C" __global__ void bf(const float* in, float* out) {
  __nv_bfloat16 a = __float2bfloat16(in[threadIdx.x]);
  out[threadIdx.x] = __bfloat162float(__hfma(a, a, __float2bfloat16(1.f)));
}
extern "C" __global__ void heap(int** slots) {
  int* p = (int*)malloc(16);
  p[0] = threadIdx.x;
  slots[threadIdx.x] = p;
  __syncthreads();
  if (slots[(threadIdx.x + 1) % blockDim.x][0] != (threadIdx.x + 1) % blockDim.x) __trap();
  __syncthreads();
  free(p);
}

/// @file
/// Small kernels behind plain C functions, as a student's plugin has them.
#include <cuda_runtime.h>

#include <cstdio>

__constant__ float scale = 2.0f;
__device__ int counter = 5;
__managed__ int shared_with_host = 11;

namespace {

__global__ void scale_all(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = scale * in[i];
}

__global__ void write_at(int* p, long long index) {
  p[index] = 1;
}

__global__ void misaligned(char* p) {
  *reinterpret_cast<int*>(p + 1) = 1;
}

__global__ void bump() {
  atomicAdd(&counter, 1);
  shared_with_host += 1;
}

__global__ void race(float* out) {
  __shared__ float s[128];
  s[threadIdx.x] = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = s[127 - threadIdx.x];  // no barrier between
}

__global__ void forever(volatile int* p) {
  while (*p == 0) {
  }
}

__global__ void big_shared(float* out) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void hello() {
  printf("hello from thread %d\n", threadIdx.x);
}

__global__ void __launch_bounds__(128) bounded(float* out) {
  out[threadIdx.x] = 1;
}

}  // namespace

extern "C" {
void run_scale(const float* in, float* out, int n) {
  scale_all<<<(n + 255) / 256, 256>>>(in, out, n);
}
void run_write_at(int* p, long long index) {
  write_at<<<1, 1>>>(p, index);
}
void run_misaligned(char* p) {
  misaligned<<<1, 1>>>(p);
}
void run_bump() {
  bump<<<1, 1>>>();
}
int read_counter() {
  int value = 0;
  cudaMemcpyFromSymbol(&value, counter, sizeof value);
  return value;
}
void set_scale(float value) {
  cudaMemcpyToSymbol(scale, &value, sizeof value);
}
int read_managed() {
  return shared_with_host;
}
void run_race(float* out) {
  race<<<1, 128>>>(out);
}
void run_forever(int* p) {
  forever<<<1, 1>>>(p);
}
void run_hello() {
  hello<<<1, 2>>>();
}
cudaError_t run_big_shared(float* out, int bytes, bool ask) {
  if (ask) {
    const cudaError_t error =
        cudaFuncSetAttribute(big_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (error != cudaSuccess) {
      cudaGetLastError();  // the caller has it
      return error;
    }
  }
  big_shared<<<1, 32, bytes>>>(out);
  return cudaGetLastError();
}
cudaError_t run_shape(float* out, unsigned blocks, unsigned threads) {
  bounded<<<blocks, threads>>>(out);
  return cudaGetLastError();
}
int occupancy_of_scale(int threads) {
  int blocks = -1;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale_all, threads, 0);
  return blocks;
}
}

// A tensor map through the runtime's driver entry point, and a cluster launch.
#include <cooperative_groups.h>
#include <cuda.h>
namespace {
__global__ void copy_tile(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float tile[8 * 8];
  __shared__ alignas(8) unsigned long long bar;
  const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async;" ::"r"(b) : "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 256; }" ::"r"(b)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {4, 2}], "
        "[%2];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(tile))),
        "l"(&map), "r"(b)
        : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; w: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra w; }" ::"r"(b)
               : "memory");
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void exchange(int* out) {
  __shared__ int mine;
  auto cluster = cooperative_groups::this_cluster();
  mine = blockIdx.x;
  cluster.sync();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  out[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
  cluster.sync();
}
}  // namespace
/// @return what encoding says for a stride of @p stride bytes; the tile is copied to @p out if that is 0.
extern "C" int run_copy_tile(float* in, float* out, unsigned long long stride) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return -1;
  CUtensorMap map;
  const cuuint64_t sizes[2] = {16, 16}, strides[1] = {stride};
  const cuuint32_t box[2] = {8, 8}, steps[2] = {1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) copy_tile<<<1, 64>>>(map, out);
  return result;
}
__global__ void naps(int* out, int count) {
  for (int i = 0; i < count; ++i) __nanosleep(10'000);
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
extern "C" void run_naps(int* out, int blocks, int threads, int count) {
  naps<<<blocks, threads>>>(out, count);
}
// The first block works for some microseconds; the others look again and again whether it is done.
__global__ void waits_with_naps(int* out, volatile int* flag) {
  if (threadIdx.x == 0 && blockIdx.x != 0) {
    while (*flag == 0) __nanosleep(10'000);
  } else if (threadIdx.x == 0) {
    int chain = 1;
    for (int i = 0; i < 20'000; ++i) chain = chain * chain + i;
    out[0] = chain;
    __threadfence();
    *flag = 1;
  }
}
extern "C" void run_waits_with_naps(int* out, int* flag) {
  waits_with_naps<<<8, 32>>>(out, flag);
}

extern "C" cudaError_t run_exchange(int* out, unsigned blocks, unsigned cluster) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = blocks;
  config.blockDim = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, exchange, out);
}

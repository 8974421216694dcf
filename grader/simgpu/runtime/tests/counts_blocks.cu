/// @file
/// Kernels whose barriers and asynchronous copies can be counted by hand.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

namespace {

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// The last block only looks on; three barriers in the others.
__global__ void meet(const float* in, float* out) {
  __shared__ float tile[96];
  if (blockIdx.x == gridDim.x - 1) return;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] += 1;
  __syncthreads();
  const float other = tile[95 - threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = other;
}

// A block of 96 of which one warp works.
__global__ void one_warp_works(float* out) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, static_cast<int>(threadIdx.x));
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = static_cast<float>(sum);
}

// Tiles of 64 floats by cp.async, `stages` - 1 of them ahead.
template <int stages>
__global__ void tiles_by_groups(const float* in, float* out, int tiles) {
  __shared__ float buffer[stages][64];
  const auto begin = [&](int t) {
    if (t < tiles)
      asm volatile(
          "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&buffer[t % stages][threadIdx.x])),
          "l"(in + t * 64 + threadIdx.x)
          : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  for (int t = 0; t < stages - 1; ++t) begin(t);
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    begin(t + stages - 1);
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 1) : "memory");
    __syncthreads();
    sum += buffer[t % stages][63 - threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// The same from two buffers. Each turn waits for all that is on its way, asks for the next tile, and then uses this one; or it
// asks after that, so that nothing comes meanwhile.
template <bool in_time>
__global__ void tiles_asked_after_wait(const float* in, float* out, int tiles) {
  __shared__ float buffer[2][64];
  const auto begin = [&](int t) {
    if (t < tiles)
      asm volatile(
          "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&buffer[t % 2][threadIdx.x])),
          "l"(in + t * 64 + threadIdx.x)
          : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  begin(0);
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    if (in_time) begin(t + 1);
    sum += *static_cast<volatile float*>(&buffer[t % 2][63 - threadIdx.x]);
    if (!in_time) begin(t + 1);
  }
  out[threadIdx.x] = sum;
}

__device__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred p; w: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra w; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Tiles of 128 floats by bulk copies into two buffers. The last warp begins the copies, so that others wait before it does.
__global__ void tiles_by_bulk(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float buffer[2][128];
  __shared__ alignas(8) unsigned long long full[2];
  const bool leads = threadIdx.x == 32;
  if (leads) {
    for (auto& barrier : full)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  const auto begin = [&](int t) {
    if (!leads || t >= tiles) return;
    const unsigned barrier = shared_address(&full[t % 2]);
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 512; }" ::"r"(barrier)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
            shared_address(buffer[t % 2])),
        "l"(in + t * 128), "r"(barrier)
        : "memory");
  };
  begin(0);
  begin(1);
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    wait_for(shared_address(&full[t % 2]), t / 2 % 2);
    sum += buffer[t % 2][threadIdx.x] + buffer[t % 2][threadIdx.x + 64];
    __syncthreads();
    begin(t + 2);
  }
  out[threadIdx.x] = sum;
}

// Tiles of 128 floats through a ring of four buffers. Warp 0 asks, and is told by a second barrier when a buffer is free; the others
// use, each tile for some hundred instructions, and one may run ahead of the other.
__global__ void tiles_by_producer(const float* in, float* out, int tiles) {
  constexpr int stages = 4;
  __shared__ alignas(128) float buffer[stages][128];
  __shared__ alignas(8) unsigned long long full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&empty[s])) : "memory");
    }
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  float sum = 0;
  for (int t = 0; t < tiles; ++t) {
    const int s = t % stages;
    const unsigned barrier = shared_address(&full[s]);
    if (threadIdx.x < 32) {
      if (threadIdx.x != 0) continue;
      if (t >= stages) wait_for(shared_address(&empty[s]), (t / stages - 1) % 2);
      asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 512; }" ::"r"(barrier)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
              shared_address(buffer[s])),
          "l"(in + t * 128), "r"(barrier)
          : "memory");
    } else {
      wait_for(barrier, t / stages % 2);
      for (unsigned i = 0; i < 128; ++i)
        sum += *static_cast<volatile float*>(&buffer[s][(threadIdx.x + i) % 128]);
      asm volatile(
          "{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(shared_address(&empty[s]))
          : "memory");
    }
  }
  if (threadIdx.x >= 32) out[threadIdx.x - 32] = sum;
}

// Four tiles at once, each with its barrier; all of them are waited for before any is used. With or without a meeting of the block after
// each wait.
__global__ void tiles_four_at_once(const float* in, float* out, int rounds, bool meet) {
  __shared__ alignas(128) float buffer[4][128];
  __shared__ alignas(8) unsigned long long full[4];
  if (threadIdx.x == 0) {
    for (auto& barrier : full)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int s = 0; s < 4 && threadIdx.x == 0; ++s) {
      const unsigned barrier = shared_address(&full[s]);
      asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 512; }" ::"r"(barrier)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(
              shared_address(buffer[s])),
          "l"(in + (round * 4 + s) * 128), "r"(barrier)
          : "memory");
    }
    for (auto& barrier : full) {
      wait_for(shared_address(&barrier), round % 2);
      if (meet) __syncthreads();
    }
    for (auto& tile : buffer) sum += tile[threadIdx.x] + tile[threadIdx.x + 64];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// One load of 256 bytes for both blocks of a cluster; then each reads a word of the other's.
__global__ void share(const float* in, float* out) {
  __shared__ alignas(128) float tile[64];
  __shared__ alignas(8) unsigned long long full;
  auto cluster = cooperative_groups::this_cluster();
  const unsigned barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(barrier)
                 : "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 256; }" ::"r"(barrier)
                 : "memory");
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "256, [%2], %3;" ::"r"(shared_address(tile)),
        "l"(in), "r"(barrier), "h"(static_cast<unsigned short>(3))
        : "memory");
  wait_for(barrier, 0);
  cluster.sync();
  const float* other = cluster.map_shared_rank(tile, 1 - cluster.block_rank());
  out[blockIdx.x * 32 + threadIdx.x] = other[threadIdx.x];
  cluster.sync();
}

__global__ void copy_box(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(1024) float tile[32 * 4];
  __shared__ alignas(8) unsigned long long full;
  const unsigned barrier = shared_address(&full);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.proxy.async;" ::"r"(barrier) : "memory");
    asm volatile("{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], 512; }" ::"r"(barrier)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {0, 0}], "
        "[%2];" ::"r"(shared_address(tile)),
        "l"(&map), "r"(barrier)
        : "memory");
  }
  __syncthreads();
  wait_for(barrier, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}

}  // namespace

extern "C" {
void count_meet(const float* in, float* out) {
  meet<<<3, 96>>>(in, out);
}
void count_one_warp(float* out) {
  one_warp_works<<<2, 96>>>(out);
}
void count_groups(const float* in, float* out, int stages) {
  if (stages == 1)
    tiles_by_groups<1><<<1, 64>>>(in, out, 4);
  else
    tiles_by_groups<2><<<1, 64>>>(in, out, 4);
}
void count_asked_after_wait(const float* in, float* out, bool in_time) {
  if (in_time)
    tiles_asked_after_wait<true><<<1, 64>>>(in, out, 4);
  else
    tiles_asked_after_wait<false><<<1, 64>>>(in, out, 4);
}
void count_bulk(const float* in, float* out, int tiles) {
  tiles_by_bulk<<<1, 64>>>(in, out, tiles);
}
void count_bulk_in_blocks(const float* in, float* out, int tiles, int blocks) {
  tiles_by_bulk<<<blocks, 64>>>(in, out, tiles);
}
void count_producer(const float* in, float* out, int tiles) {
  tiles_by_producer<<<1, 96>>>(in, out, tiles);
}
void count_four_at_once(const float* in, float* out, int rounds, bool meet) {
  tiles_four_at_once<<<1, 64>>>(in, out, rounds, meet);
}
cudaError_t count_share(const float* in, float* out) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 32;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, share, in, out);
}
// A box of 32 x 4 floats, swizzled by 128 bytes.
int count_box(float* in, float* out) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  CUtensorMap map;
  const cuuint64_t sizes[2] = {32, 4}, strides[1] = {128};
  const cuuint32_t box[2] = {32, 4}, steps[2] = {1, 1};
  const CUresult result = reinterpret_cast<Encode>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) copy_box<<<1, 128>>>(map, out);
  return result;
}
}

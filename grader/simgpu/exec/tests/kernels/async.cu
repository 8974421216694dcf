// Kernels that tests compile with nvcc and run: mbarriers, bulk and tensor copies, clusters; sound ones, and (wrong_*)
// ones with one mistake each that has to be found.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using block_barrier = cuda::barrier<cuda::thread_scope_block>;
using u64 = unsigned long long;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void init(u64* bar, unsigned count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count) : "memory");
}
__device__ void expect(u64* bar, unsigned bytes) {
  asm volatile(
      "{ .reg .b64 t; mbarrier.arrive.expect_tx.shared::cta.b64 t, [%0], %1; }" ::"r"(shared_address(bar)),
      "r"(bytes)
      : "memory");
}
__device__ void arrive(u64* bar) {
  asm volatile("{ .reg .b64 t; mbarrier.arrive.shared::cta.b64 t, [%0]; }" ::"r"(shared_address(bar))
               : "memory");
}
__device__ void wait(u64* bar, unsigned parity) {
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done; bra again; "
      "done: }" ::"r"(shared_address(bar)),
      "r"(parity)
      : "memory");
}
__device__ void load(void* to, const void* from, unsigned bytes, u64* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar))
      : "memory");
}
__device__ void load_tile(void* to, const CUtensorMap* map, int x, int y, u64* bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
      "%3}], [%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(bar))
      : "memory");
}
__device__ void store(void* to, const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
}
__device__ void commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ void wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
__device__ void proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// A ring of stages: thread 0 loads, everybody adds up, both sides wait by parity.
constexpr int kStages = 3, kTile = 256;
template <bool flips, bool waits, bool announces>
__device__ void ring(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float tile[kStages][kTile];
  __shared__ alignas(8) u64 full[kStages], empty[kStages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) init(full + s, 1), init(empty + s, blockDim.x);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  in += blockIdx.x * tiles * kTile;
  float sum = 0;
  for (int t = 0; t < tiles + kStages - 1; ++t) {
    if (threadIdx.x == 0 && t < tiles) {
      const int s = t % kStages;
      if (t >= kStages) wait(empty + s, flips ? (t / kStages - 1) & 1 : 0);
      if (announces)
        expect(full + s, kTile * 4);
      else
        arrive(full + s);
      load(tile[s], in + t * kTile, kTile * 4, full + s);
    }
    const int c = t - (kStages - 1);
    if (c >= 0) {
      const int s = c % kStages;
      if (waits) wait(full + s, flips ? c / kStages & 1 : 0);
      for (int k = threadIdx.x; k < kTile; k += blockDim.x) sum += tile[s][k];
      arrive(empty + s);
    }
  }
  atomicAdd(out + blockIdx.x, sum);
}
extern "C" __global__ void ring_sum(const float* in, float* out, int tiles) {
  ring<true, true, true>(in, out, tiles);
}
extern "C" __global__ void wrong_parity(const float* in, float* out, int tiles) {
  ring<false, true, true>(in, out, tiles);
}
extern "C" __global__ void wrong_no_wait(const float* in, float* out, int tiles) {
  ring<true, false, true>(in, out, tiles);
}
extern "C" __global__ void wrong_not_announced(const float* in, float* out, int tiles) {
  ring<true, true, false>(in, out, tiles);
}
extern "C" __global__ void wrong_nobody_arrives(const float* in, float* out) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ alignas(8) u64 full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  if (threadIdx.x == 0) load(tile, in, kTile * 4, &full);
  wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void wrong_too_many_bytes(const float* in, float* out) {
  __shared__ alignas(128) float tile[kTile];
  __shared__ alignas(8) u64 full;
  if (threadIdx.x == 0) init(&full, 1);
  __syncthreads();
  if (threadIdx.x == 0) expect(&full, kTile * 8), load(tile, in, kTile * 4, &full);
  wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
extern "C" __global__ void wrong_no_init(float* out) {
  __shared__ alignas(8) u64 full;
  arrive(&full);
  wait(&full, 0);
  out[0] = 1;
}

// Shared memory written by threads, stored in bulk.
template <bool fences, bool waits, bool reuses>
__device__ void bulk_store(float* out) {
  __shared__ alignas(128) float tile[kTile];
  for (int round = 0; round < 2; ++round) {
    for (int k = threadIdx.x; k < kTile; k += blockDim.x) tile[k] = k + 1000.0f * round;
    if (fences) proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
      store(out + round * kTile, tile, kTile * 4);
      commit();
      if (waits && !(reuses && round == 0)) wait_read();
    }
    __syncthreads();
  }
}
extern "C" __global__ void bulk_store_sound(float* out) {
  bulk_store<true, true, false>(out);
}
extern "C" __global__ void wrong_no_fence(float* out) {
  bulk_store<false, true, false>(out);
}
extern "C" __global__ void wrong_reuse(float* out) {
  bulk_store<true, true, true>(out);
}
extern "C" __global__ void wrong_store_no_wait(float* out) {
  __shared__ alignas(128) float tile[kTile];
  for (int k = threadIdx.x; k < kTile; k += blockDim.x) tile[k] = k;
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) store(out, tile, kTile * 4), commit();
}
extern "C" __global__ void bulk_add(int* out) {
  __shared__ alignas(128) int tile[kTile];
  for (int k = threadIdx.x; k < kTile; k += blockDim.x) tile[k] = k;
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" ::"l"(out),
                 "r"(shared_address(tile)), "r"(kTile * 4)
                 : "memory");
    commit();
    wait_read();
  }
}

// Tensor tiles. Raw bytes of the tile's shared memory go to `out`, so that a swizzle shows.
template <int bytes>
__device__ void tile_out(const CUtensorMap* map, int x, int y, unsigned char* out) {
  __shared__ alignas(1024) unsigned char tile[bytes];
  __shared__ alignas(8) u64 full;
  if (threadIdx.x == 0) init(&full, 1), proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) expect(&full, bytes), load_tile(tile, map, x, y, &full);
  wait(&full, 0);
  for (int k = threadIdx.x; k < bytes; k += blockDim.x) out[k] = tile[k];
}
extern "C" __global__ void tile_1024(const __grid_constant__ CUtensorMap map, int x, int y,
                                     unsigned char* out) {
  tile_out<1024>(&map, x, y, out);
}
// wrong: without __grid_constant__ the address is that of a copy in local memory
extern "C" __global__ void wrong_local_map(CUtensorMap map, int x, int y, unsigned char* out) {
  tile_out<1024>(&map, x, y, out);
}
extern "C" __global__ void tile_transpose(const __grid_constant__ CUtensorMap in,
                                          const __grid_constant__ CUtensorMap out, int x, int y) {
  __shared__ alignas(128) float a[16][16], b[16][16];
  __shared__ alignas(8) u64 full;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  if (threadIdx.x == 0) init(&full, 1), proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) expect(&full, sizeof a), load_tile(a, &in, x, y, &full);
  wait(&full, 0);
  b[tx][ty] = a[ty][tx];
  proxy_fence();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out),
        "r"(y), "r"(x), "r"(shared_address(b))
        : "memory");
    commit();
    wait_read();
  }
}
extern "C" __global__ void tile_3d(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float tile[2 * 3 * 4];
  __shared__ alignas(8) u64 full;
  if (threadIdx.x == 0) {
    init(&full, 1), proxy_fence();
    expect(&full, sizeof tile);
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
        "%3, %4}], [%5];" ::"r"(shared_address(tile)),
        "l"(&map), "r"(4), "r"(1), "r"(1), "r"(shared_address(&full))
        : "memory");
  }
  __syncthreads();
  wait(&full, 0);
  if (threadIdx.x < 24) out[threadIdx.x] = tile[threadIdx.x];
}

// Clusters.
extern "C" __global__ void __cluster_dims__(4, 1, 1) multicast(const int* in, int* out) {
  __shared__ alignas(128) int tile[4][64];
  __shared__ alignas(8) u64 full;
  const unsigned rank = cg::this_cluster().block_rank();
  if (threadIdx.x == 0) {
    init(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect(&full, sizeof tile);
  }
  cg::this_cluster().sync();
  if (threadIdx.x == 0)  // each block brings a quarter to all four
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "%2, [%3], %4;" ::"r"(shared_address(tile[rank])),
        "l"(in + rank * 64), "r"(256), "r"(shared_address(&full)), "h"((unsigned short)0xF)
        : "memory");
  wait(&full, 0);
  for (int k = threadIdx.x; k < 256; k += blockDim.x) out[rank * 256 + k] = tile[k / 64][k % 64];
  cg::this_cluster().sync();
}
// A histogram spread over the shared memory of the cluster's blocks.
extern "C" __global__ void cluster_histogram(const int* in, int n, int* bins, int bins_per_block) {
  extern __shared__ int part[];
  auto cluster = cg::this_cluster();
  for (int k = threadIdx.x; k < bins_per_block; k += blockDim.x) part[k] = 0;
  cluster.sync();
  const int rank = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  for (int k = rank; k < n; k += step) {
    const int bin = in[k];
    int* there = cluster.map_shared_rank(part, bin / bins_per_block);
    atomicAdd(there + bin % bins_per_block, 1);
  }
  cluster.sync();
  for (int k = threadIdx.x; k < bins_per_block; k += blockDim.x)
    atomicAdd(bins + cluster.block_rank() * bins_per_block + k, part[k]);
}
extern "C" __global__ void __cluster_dims__(2, 2, 1) cluster_ids(int* out) {
  auto c = cg::this_cluster();
  if (threadIdx.x == 0) {
    int* o = out + 8 * (blockIdx.y * gridDim.x + blockIdx.x);
    o[0] = c.block_rank(), o[1] = c.num_blocks(), o[2] = c.block_index().x, o[3] = c.block_index().y;
    o[4] = c.dim_blocks().x;
    unsigned v;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(v));
    o[5] = v;
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(v));
    o[6] = v;
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v));
    o[7] = v;
  }
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) wrong_peer_gone(int* out) {
  __shared__ int s;
  s = blockIdx.x;
  auto c = cg::this_cluster();
  c.sync();
  if (c.block_rank() == 1) return;
  for (int k = 0; k < 3000; ++k) out[k % 32] = k;
  out[0] = *c.map_shared_rank(&s, 1);
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) wrong_no_cluster_sync(int* out) {
  __shared__ int s[32];
  s[threadIdx.x] = blockIdx.x;
  auto c = cg::this_cluster();
  out[blockIdx.x * 32 + threadIdx.x] = c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x];
  c.sync();
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) remote_arrive(int* out) {
  __shared__ alignas(8) u64 bar;
  __shared__ alignas(16) int mail[32];
  auto c = cg::this_cluster();
  if (threadIdx.x == 0) init(&bar, 32), expect(&bar, 0);
  c.sync();
  const unsigned other = c.block_rank() ^ 1;
  unsigned there, box;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(&bar)), "r"(other));
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(box)
      : "r"(shared_address(mail + threadIdx.x)), "r"(other));
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(box),
               "r"(threadIdx.x + 100 * c.block_rank()), "r"(there)
               : "memory");
  if (threadIdx.x == 0)
    asm volatile("mbarrier.expect_tx.relaxed.cluster.shared::cluster.b64 [%0], 128;" ::"r"(there) : "memory");
  __syncwarp();
  if (threadIdx.x > 0)  // with the arrival of the expect(0) above: 32
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
  wait(&bar, 0);
  out[c.block_rank() * 32 + threadIdx.x] = mail[threadIdx.x];
  c.sync();
}

// The toolkit's own wrappers.
extern "C" __global__ void libcu_barrier(const int* in, int* out) {
  __shared__ block_barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int r = 0; r < 4; ++r) {
    s[threadIdx.x] = in[r * blockDim.x + threadIdx.x];
    auto token = bar.arrive();
    bar.wait(std::move(token));
    sum += s[blockDim.x - 1 - threadIdx.x];
    bar.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}
extern "C" __global__ void libcu_memcpy_async(const int* in, int* out) {
  __shared__ block_barrier bar;
  __shared__ alignas(128) int s[2][128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  auto block = cg::this_thread_block();
  cuda::memcpy_async(block, s[0], in, cuda::aligned_size_t<16>(512), bar);
  cuda::memcpy_async(block, s[1], in + 128, 512, bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = s[0][threadIdx.x ^ 1] + s[1][threadIdx.x ^ 2];
}
extern "C" __global__ void libcu_pipeline(const int* in, int* out, int tiles) {
  constexpr int stages = 2;
  __shared__ alignas(16) int s[stages][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < tiles; ++compute) {
    for (; fetch < tiles && fetch < compute + stages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[fetch % stages], in + fetch * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += s[compute % stages][127 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}
// Half of the warps load, the other half compute: the pipeline splits a block by roles.
extern "C" __global__ void libcu_roles(const int* in, int* out, int tiles) {
  constexpr int stages = 2;
  __shared__ alignas(16) int s[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  auto block = cg::this_thread_block();
  const auto role = threadIdx.x < 64 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
  auto pipe = cuda::make_pipeline(block, &state, role);
  if (role == cuda::pipeline_role::producer) {
    for (int t = 0; t < tiles; ++t) {
      pipe.producer_acquire();
      cuda::memcpy_async(&s[t % stages][threadIdx.x], in + t * 64 + threadIdx.x, sizeof(int), pipe);
      pipe.producer_commit();
    }
  } else {
    int sum = 0;
    for (int t = 0; t < tiles; ++t) {
      pipe.consumer_wait();
      sum += s[t % stages][127 - threadIdx.x];
      pipe.consumer_release();
    }
    out[threadIdx.x - 64] = sum;
  }
}
extern "C" __global__ void libcu_ptx(const int* in, int* out) {
  __shared__ alignas(128) int s[128];
  __shared__ alignas(8) uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  uint64_t token;
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, sizeof s, &bar);
    token =
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof s);
  } else {
    token = ptx::mbarrier_arrive(&bar);
  }
  while (!ptx::mbarrier_try_wait(&bar, token)) {
  }
  s[threadIdx.x] += 1;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, sizeof s);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>{});
  }
}
extern "C" __global__ void drop(int* out) {
  __shared__ alignas(8) u64 bar;
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  if (threadIdx.x >= 32) {
    asm volatile("{ .reg .b64 t; mbarrier.arrive_drop.shared::cta.b64 t, [%0]; }" ::"r"(shared_address(&bar))
                 : "memory");
    return;
  }
  arrive(&bar);
  wait(&bar, 0);
  u64 token;
  unsigned pending;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];"
               : "=l"(token)
               : "r"(shared_address(&bar))
               : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(token));
  wait(&bar, 1);
  out[threadIdx.x] = pending;
}
// Lane 0 waits for what the others of its warp do after their ways meet.
extern "C" __global__ void same_warp(int* out) {
  __shared__ alignas(8) u64 bar;
  if (threadIdx.x == 0) init(&bar, 31);
  __syncthreads();
  if (threadIdx.x == 0)
    wait(&bar, 0);
  else
    out[threadIdx.x] = threadIdx.x;
  if (threadIdx.x != 0)
    arrive(&bar);
  else
    out[0] = 7;
}
// The sound neighbour has the wait; without it the threads only hope that the others have come.
template <bool waits>
__device__ void handshake(int* out) {
  __shared__ alignas(8) u64 bar;
  __shared__ int s[64];
  if (threadIdx.x == 0) init(&bar, 64);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  arrive(&bar);
  if (waits) wait(&bar, 0);
  out[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void handshake_sound(int* out) {
  handshake<true>(out);
}
extern "C" __global__ void wrong_handshake(int* out) {
  handshake<false>(out);
}
// Arriving at the cluster barrier and waiting for it are two things.
extern "C" __global__ void __cluster_dims__(2, 1, 1) split_barrier(int* out) {
  __shared__ int s[32];
  auto c = cg::this_cluster();
  for (int round = 0; round < 3; ++round) {
    s[threadIdx.x] = blockIdx.x * 100 + threadIdx.x + round;
    c.barrier_arrive();
    out[(blockIdx.x * 3 + round) * 64 + 32 + threadIdx.x] = round;
    c.barrier_wait();
    if (!__isShared(s) || __isShared(c.map_shared_rank(s, c.block_rank() ^ 1))) __trap();
    if (!__isShared(c.map_shared_rank(s, c.block_rank()))) __trap();
    out[(blockIdx.x * 3 + round) * 64 + threadIdx.x] = c.map_shared_rank(s, c.block_rank() ^ 1)[threadIdx.x];
    c.sync();
  }
}
extern "C" __global__ void elect_and_depend(int* out) {
  cudaGridDependencySynchronize();
  unsigned chosen = 0;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xFFFFFFFF; selp.u32 %0, 1, 0, p; }" : "=r"(chosen));
  out[threadIdx.x] = chosen;
  cudaTriggerProgrammaticLaunchCompletion();
}

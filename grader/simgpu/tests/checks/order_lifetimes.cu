/// @file
/// What has to be there before it is used, and as long as it is: an mbarrier once somebody has initialised it, and a block's shared
/// memory until the others of its cluster have read it.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/ptx>

#include "order.hpp"

namespace cg = cooperative_groups;
using namespace cuda::ptx;
using Mbarrier = cuda::std::uint64_t;

__device__ void wait_for(Mbarrier* barrier, unsigned parity) {
  while (!mbarrier_try_wait_parity(barrier, parity)) {
  }
}

enum class Init { syncthreads, flag, nothing };

// One thread initialises, all arrive.
template <Init init>
__global__ void made_for_block(int* y) {
  __shared__ Mbarrier barrier;
  __shared__ int s[64], ready;
  const int t = threadIdx.x;
  if (t == 0) ready = 0;
  if (init == Init::flag) __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
  if (t == 0) {
    mbarrier_init(&barrier, 64);  //~ made_for_block
    if (init == Init::flag) flag.store(1, cuda::memory_order_release);
  }
  if (init == Init::syncthreads) __syncthreads();
  if (init == Init::flag)
    while (flag.load(cuda::memory_order_acquire) == 0) {
    }
  s[t] = t;
  mbarrier_arrive(&barrier);  //! made_for_block
  wait_for(&barrier, 0);
  y[t] = s[63 - t];
}
template <Init init>
bool makes_for_block() {
  Array<int> y(64);
  made_for_block<init><<<1, 64>>>(y);
  return y.is([](int i) { return 63 - i; });
}
bool sound_init_behind_a_barrier() {
  return makes_for_block<Init::syncthreads>();
}
bool sound_init_behind_a_flag() {
  return makes_for_block<Init::flag>();
}
bool init_behind_nothing() {
  return makes_for_block<Init::nothing>();
}

// Each warp has its own: __syncwarp() is enough.
template <bool sync>
__global__ void made_for_warp(int* y) {
  __shared__ Mbarrier barrier[2];
  __shared__ int s[64];
  const int t = threadIdx.x;
  if (t % 32 == 0) mbarrier_init(&barrier[t / 32], 32);  //~ made_for_warp
  if (sync) __syncwarp();
  s[t] = t;
  mbarrier_arrive(&barrier[t / 32]);  //! made_for_warp
  wait_for(&barrier[t / 32], 0);
  y[t] = s[t ^ 31];
}
template <bool sync>
bool makes_for_warp() {
  Array<int> y(64);
  made_for_warp<sync><<<1, 64>>>(y);
  return y.is([](int i) { return i ^ 31; });
}
bool sound_init_of_a_warp() {
  return makes_for_warp<true>();
}
bool init_of_a_warp_without_syncwarp() {
  return makes_for_warp<false>();
}

// A bulk copy that another warp begins, and all wait for.
template <bool sync>
__global__ void made_for_copy(const int* x, int* y) {
  __shared__ alignas(16) int s[64];
  __shared__ Mbarrier barrier;
  const int t = threadIdx.x;
  if (t == 0) {
    mbarrier_init(&barrier, 1);  //~ made_for_copy
    fence_proxy_async(space_shared);
  }
  if (sync) __syncthreads();
  if (t == 32) {
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &barrier, sizeof s);  //! made_for_copy
    cp_async_bulk(space_cluster, space_global, s, x, sizeof s, &barrier);
  }
  __syncthreads();
  wait_for(&barrier, 0);
  y[t] = s[63 - t];
}
template <bool sync>
bool makes_for_copy() {
  Array<int> x(64), y(64);
  made_for_copy<sync><<<1, 64>>>(x, y);
  return y.is([](int) { return 0; });
}
bool sound_init_before_a_copy() {
  return makes_for_copy<true>();
}
bool init_not_before_a_copy() {
  return makes_for_copy<false>();
}

enum class Meet { sync, relaxed, block };

// Each block arrives at its partner's mbarrier and waits at its own.
template <Meet meet>
__global__ void __cluster_dims__(2) made_for_cluster(int* y) {
  __shared__ Mbarrier barrier;
  __shared__ int s[64];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t == 0) {
    mbarrier_init(&barrier, 64);  //~ made_for_cluster
    fence_mbarrier_init(sem_release, scope_cluster);
  }
  if (meet == Meet::sync) cluster.sync();
  if (meet == Meet::relaxed)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
  if (meet == Meet::block) __syncthreads();
  const unsigned other = cluster.block_rank() ^ 1;
  cluster.map_shared_rank(s, other)[t] = t;
  mbarrier_arrive(sem_release, scope_cluster, space_cluster,  //! made_for_cluster
                  cluster.map_shared_rank(&barrier, other));
  while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &barrier, 0)) {
  }
  y[blockIdx.x * 64 + t] = s[63 - t];
  cluster.sync();
}
template <Meet meet>
bool makes_for_cluster() {
  Array<int> y(128);
  made_for_cluster<meet><<<2, 64>>>(y);
  return y.is([](int i) { return 63 - i % 64; });
}
bool sound_init_for_the_cluster() {
  return makes_for_cluster<Meet::sync>();
}
bool sound_init_and_relaxed_meeting() {
  return makes_for_cluster<Meet::relaxed>();
}
bool init_for_the_block_only() {
  return makes_for_cluster<Meet::block>();
}

enum class End { sync, arrive_and_wait, relaxed, reader_ends, told, arrive_only, nothing, block };

// The first block's memory is read by the second: the first has to stay until then.
template <End end>
__global__ void __cluster_dims__(2) read_by_the_other(int* y) {
  __shared__ int s[64];
  __shared__ Mbarrier done;
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  s[t] = t;
  if (t == 0) mbarrier_init(&done, 64);
  cluster.sync();
  if (cluster.block_rank() == 1) {
    y[t] = cluster.map_shared_rank(s, 0)[63 - t];  //! read_by_the_other
    if (end == End::reader_ends) return;
    if (end == End::told)
      mbarrier_arrive(sem_release, scope_cluster, space_cluster, cluster.map_shared_rank(&done, 0));
  }
  if (end == End::sync || end == End::reader_ends) cluster.sync();
  if (end == End::arrive_and_wait) {
    cluster.barrier_arrive();
    cluster.barrier_wait();
  }
  if (end == End::relaxed)
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (end == End::told && cluster.block_rank() == 0)
    while (!mbarrier_try_wait_parity(sem_acquire, scope_cluster, &done, 0)) {
    }
  if (end == End::arrive_only) cluster.barrier_arrive();
  if (end == End::block) __syncthreads();
}
template <End end>
bool reads_the_other() {
  Array<int> y(64);
  read_by_the_other<end><<<2, 64>>>(y);
  return y.is([](int i) { return 63 - i; });
}
bool sound_sync_at_the_end() {
  return reads_the_other<End::sync>();
}
bool sound_arrival_and_wait_at_the_end() {
  return reads_the_other<End::arrive_and_wait>();
}
bool sound_relaxed_meeting_at_the_end() {
  return reads_the_other<End::relaxed>();
}
bool sound_reader_ends_early() {
  return reads_the_other<End::reader_ends>();
}
bool sound_reader_says_so() {
  return reads_the_other<End::told>();
}
bool arrives_without_waiting() {
  return reads_the_other<End::arrive_only>();
}
bool ends_before_it_is_read() {
  return reads_the_other<End::nothing>();
}
bool waits_for_its_own_block() {
  return reads_the_other<End::block>();
}

// A ring: all read the next block's memory, turn after turn, and meet in between.
template <bool last>
__global__ void __cluster_dims__(4) ring(int* y) {
  __shared__ int s[32];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  int mine = blockIdx.x;
  for (int turn = 0; turn < 3; ++turn) {
    s[t] = mine;
    cluster.sync();
    mine = cluster.map_shared_rank(s, (cluster.block_rank() + 1) % 4)[31 - t];  //! ring
    if (last || turn < 2) cluster.sync();
  }
  y[blockIdx.x * 32 + t] = mine;
}
template <bool last>
bool rings() {
  Array<int> y(128);
  ring<last><<<4, 32>>>(y);
  return y.is([](int i) { return (i / 32 + 3) % 4; });
}
bool sound_ring_of_blocks() {
  return rings<true>();
}
bool ring_without_the_last_meeting() {
  return rings<false>();
}

// The last arrivals at the other's mbarrier find it only if it waits for them, and if it was initialised before.
enum class Arrivals { sound, not_met, not_waited_for };
template <Arrivals arrivals>
__global__ void __cluster_dims__(2) last_arrivals(int* y) {
  __shared__ Mbarrier empty;
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t == 0) mbarrier_init(&empty, 32);  //~ not_met
  if (arrivals == Arrivals::not_met)
    __syncthreads();
  else
    cluster.sync();
  y[blockIdx.x * 32 + t] = t;
  if (cluster.block_rank() == 1) {
    Mbarrier* const other = cluster.map_shared_rank(&empty, 0);
    if (arrivals == Arrivals::not_met)
      mbarrier_arrive(sem_release, scope_cluster, space_cluster, other);  //! not_met
    else
      mbarrier_arrive(sem_release, scope_cluster, space_cluster, other);  //! last_arrivals
  } else if (arrivals != Arrivals::not_waited_for) {
    wait_for(&empty, 0);
  }
}
template <Arrivals arrivals>
bool arrives_last() {
  Array<int> y(64);
  last_arrivals<arrivals><<<2, 32>>>(y);
  return y.is([](int i) { return i % 32; });
}
bool sound_waits_for_the_last_arrivals() {
  return arrives_last<Arrivals::sound>();
}
bool arrives_where_nobody_has_met() {
  return arrives_last<Arrivals::not_met>();
}
bool ends_before_the_last_arrivals() {
  return arrives_last<Arrivals::not_waited_for>();
}

// Each block brings half of a tile to both. Who has waited for both halves may end.
__global__ void __cluster_dims__(2) multicast(const int* x, int* y) {
  __shared__ alignas(16) int s[64];
  __shared__ Mbarrier full;
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x, half = 32 * cluster.block_rank();
  if (t == 0) {
    mbarrier_init(&full, 1);
    fence_mbarrier_init(sem_release, scope_cluster);
  }
  cluster.sync();
  if (t == 0) {
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, sizeof s);
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "
        "%2, [%3], %4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(s + half))),
        "l"(x + half), "r"(static_cast<unsigned>(sizeof s / 2)),
        "r"(static_cast<unsigned>(__cvta_generic_to_shared(&full))), "h"(static_cast<short>(3))
        : "memory");
  }
  wait_for(&full, 0);
  y[blockIdx.x * 64 + t] = s[63 - t];
}
bool sound_multicast_that_all_wait_for() {
  Array<int> x(64), y(128);
  multicast<<<2, 64>>>(x, y);
  return y.is([](int) { return 0; });
}

const Case cases[] = {
    CASE(sound_multicast_that_all_wait_for),
    CASE(sound_init_behind_a_barrier),
    CASE(sound_init_behind_a_flag),
    CASE(init_behind_nothing),
    CASE(sound_init_of_a_warp),
    CASE(init_of_a_warp_without_syncwarp),
    CASE(sound_init_before_a_copy),
    CASE(init_not_before_a_copy),
    CASE(sound_init_for_the_cluster),
    CASE(sound_init_and_relaxed_meeting),
    CASE(init_for_the_block_only),
    CASE(sound_sync_at_the_end),
    CASE(sound_arrival_and_wait_at_the_end),
    CASE(sound_relaxed_meeting_at_the_end),
    CASE(sound_reader_ends_early),
    CASE(sound_reader_says_so),
    CASE(arrives_without_waiting),
    CASE(ends_before_it_is_read),
    CASE(waits_for_its_own_block),
    CASE(sound_ring_of_blocks),
    CASE(ring_without_the_last_meeting),
    CASE(sound_waits_for_the_last_arrivals),
    CASE(arrives_where_nobody_has_met),
    CASE(ends_before_the_last_arrivals),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

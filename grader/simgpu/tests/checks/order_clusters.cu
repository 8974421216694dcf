/// @file
/// The barrier of a cluster orders the cluster: more than a block, and less than the grid.
#include <cooperative_groups.h>

#include "order.hpp"

namespace cg = cooperative_groups;

enum class Meet { cluster, block, written_between, relaxed, relaxed_behind_fence };

// Each block reads what its partner has written to its own shared memory.
template <Meet meet>
__global__ void __cluster_dims__(2) exchange(int* y) {
  __shared__ int s[64];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (meet != Meet::written_between) s[t] = 1000 * blockIdx.x + t;  //~ exchange
  if (meet == Meet::cluster) cluster.sync();
  if (meet == Meet::block) __syncthreads();
  if (meet == Meet::written_between) {
    cluster.barrier_arrive();
    s[t] = 1000 * blockIdx.x + t;  //~ exchange
    cluster.barrier_wait();
  }
  if (meet == Meet::relaxed_behind_fence) asm volatile("fence.acq_rel.cluster;" ::: "memory");
  if (meet == Meet::relaxed || meet == Meet::relaxed_behind_fence)
    asm volatile("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;" ::: "memory");
  const int* other = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
  y[blockIdx.x * 64 + t] = other[63 - t];  //! exchange
  cluster.sync();                          // nobody ends while others read
}
template <Meet meet>
bool exchanges() {
  Array<int> y(256);
  exchange<meet><<<4, 64>>>(y);
  return y.is([](int i) { return 1000 * (i / 64 ^ 1) + 63 - i % 64; });
}
bool sound_exchange() {
  return exchanges<Meet::cluster>();
}
bool sound_relaxed_arrival_behind_fence() {
  return exchanges<Meet::relaxed_behind_fence>();
}
bool barrier_of_the_block_only() {
  return exchanges<Meet::block>();
}
bool written_between_arrive_and_wait() {
  return exchanges<Meet::written_between>();
}
bool relaxed_arrival() {
  return exchanges<Meet::relaxed>();
}

// Through global memory: from the partner, or from the next cluster's block.
template <bool own_cluster>
__global__ void __cluster_dims__(2) through_global(int* x, int* y) {
  const int t = threadIdx.x;
  x[blockIdx.x * 64 + t] = blockIdx.x + t;  //~ through_global
  cg::this_cluster().sync();
  const int from = own_cluster ? blockIdx.x ^ 1 : blockIdx.x ^ 2;
  y[blockIdx.x * 64 + t] = x[from * 64 + 63 - t];  //! through_global
}
bool sound_through_global() {
  Array<int> x(256), y(256);
  through_global<true><<<4, 64>>>(x, y);
  return y.is([](int i) { return (i / 64 ^ 1) + 63 - i % 64; });
}
bool cluster_barrier_is_no_grid_barrier() {
  Array<int> x(256), y(256);
  through_global<false><<<4, 64>>>(x, y);
  return true;
}

// Bins that are shared out over the cluster's blocks.
template <bool sync_before_reading>
__global__ void __cluster_dims__(2) shared_bins(int* y) {
  __shared__ int bins[8];
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(bins, t % 2) + t / 2 % 8, 1);  //~ shared_bins
  if (sync_before_reading)
    cluster.sync();
  else
    __syncthreads();
  if (t < 8) y[blockIdx.x * 8 + t] = bins[t];  //! shared_bins
  cluster.sync();
}
bool sound_shared_bins() {
  Array<int> y(32);
  shared_bins<true><<<4, 64>>>(y);
  return y.is([](int) { return 8; });
}
bool bins_read_too_early() {
  Array<int> y(32);
  shared_bins<false><<<4, 64>>>(y);
  return true;
}

// All blocks of the cluster count in the first one's memory, that one included.
template <bool sync_before_reading>
__global__ void __cluster_dims__(2) shared_count(int* y) {
  __shared__ int count;
  const auto cluster = cg::this_cluster();
  if (threadIdx.x == 0) count = 0;
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&count, 0), 1);  //~ shared_count
  if (sync_before_reading)
    cluster.sync();
  else
    __syncthreads();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) y[blockIdx.x / 2] = count;  //! shared_count
  cluster.sync();
}
bool sound_shared_count() {
  Array<int> y(2);
  shared_count<true><<<4, 64>>>(y);
  return y.is([](int) { return 128; });
}
bool count_read_too_early() {
  Array<int> y(2);
  shared_count<false><<<4, 64>>>(y);
  return true;
}

// One block pushes what it has into the other's memory, and arrives at an mbarrier there.
enum class Arrival { releases, relaxed, relaxed_behind_fence };

template <Arrival arrival, bool acquires>
__global__ void __cluster_dims__(2) push(int* y) {
  __shared__ int s[32];
  __shared__ unsigned long long bar;
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  const auto own = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(own) : "memory");
  cluster.sync();
  if (cluster.block_rank() == 0) {
    unsigned theirs;
    asm volatile("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(theirs) : "r"(own));
    cluster.map_shared_rank(s, 1)[t] = t + 5;  //~ push
    if (arrival == Arrival::relaxed_behind_fence) asm volatile("fence.acq_rel.cluster;" ::: "memory");
    if (arrival == Arrival::releases)
      asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs) : "memory");
    else
      asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" ::"r"(theirs) : "memory");
  } else {
    int done = 0;
    while (!done) {
      if (acquires)
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], 0; selp.s32 "
            "%0, 1, 0, p; }"
            : "=r"(done)
            : "r"(own)
            : "memory");
      else
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 p, [%1], 0; selp.s32 "
            "%0, 1, 0, p; }"
            : "=r"(done)
            : "r"(own)
            : "memory");
    }
    y[blockIdx.x / 2 * 32 + t] = s[31 - t];  //! push
  }
  cluster.sync();
}
template <Arrival arrival, bool acquires = true>
bool pushes() {
  Array<int> y(64);
  push<arrival, acquires><<<4, 32>>>(y);
  return y.is([](int i) { return 36 - i % 32; });
}
bool sound_push() {
  return pushes<Arrival::releases>();
}
bool sound_push_behind_fence() {
  return pushes<Arrival::relaxed_behind_fence>();
}
bool push_arrives_relaxed() {
  return pushes<Arrival::relaxed>();
}
bool push_waited_for_relaxed() {
  return pushes<Arrival::releases, false>();
}

const Case cases[] = {
    CASE(sound_push),
    CASE(sound_push_behind_fence),
    CASE(push_arrives_relaxed),
    CASE(push_waited_for_relaxed),
    CASE(sound_exchange),
    CASE(sound_relaxed_arrival_behind_fence),
    CASE(sound_through_global),
    CASE(sound_shared_bins),
    CASE(barrier_of_the_block_only),
    CASE(written_between_arrive_and_wait),
    CASE(sound_shared_count),
    CASE(count_read_too_early),
    CASE(relaxed_arrival),
    CASE(cluster_barrier_is_no_grid_barrier),
    CASE(bins_read_too_early),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Cooperative groups wider than a warp, as the toolkit's headers build them; and two things that programs like them count on: atomics
/// of the lanes of a warp come one after the other, and a word that a tile has read is free once that tile has met.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cuda/atomic>
#include <cuda/barrier>

#include "order.hpp"

namespace cg = cooperative_groups;

// Collectives one behind the other, in tiles of several warps.
template <int width>
__global__ void collectives(int* y) {
  __shared__ cg::block_tile_memory<512> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<width>(block);
  const int t = threadIdx.x;
  int sum = cg::reduce(tile, 1, cg::plus<int>());
  sum += cg::reduce(tile, 2, cg::plus<int>());
  sum += cg::inclusive_scan(tile, 1, cg::plus<int>()) - static_cast<int>(tile.thread_rank());
  sum += static_cast<int>(cg::reduce(tile, 1.0f, cg::plus<float>()));
  sum += tile.any(t == 0) + tile.all(t >= 0) + tile.shfl(t, 5) - tile.shfl(t, 5);
  tile.sync();
  sum += cg::exclusive_scan(tile, 1, cg::plus<int>()) - static_cast<int>(tile.thread_rank());
  cg::reduce_store_async(tile, y + 512 + tile.meta_group_rank(), 1, cg::plus<int>());
  cg::reduce_store_async(tile, y + 520 + tile.meta_group_rank(), 1, cg::plus<int>());
  y[t] = sum;
}
template <int width>
bool collects() {
  Array<int> y(1024);
  collectives<width><<<1, 512>>>(y);
  return y.is([](int i) {
    if (i < 512) return 4 * width + 2 + (i < width ? 1 : 0);
    if (i < 528 && (i - 512) % 8 < 512 / width) return width;
    return 0;
  });
}
bool sound_tiles_of_64() {
  return collects<64>();
}
bool sound_tiles_of_128() {
  return collects<128>();
}
bool sound_tiles_of_512() {
  return collects<512>();
}

// Memory of the program's own, handed round within a tile.
enum class Meet { tile, warp };
template <Meet meet>
__global__ void round_the_tile(int* y) {
  __shared__ int s[256];
  const auto tile = cg::tiled_partition<128>(cg::this_thread_block());
  const int t = threadIdx.x, base = t / 128 * 128;
  s[t] = t;  //~ round_the_tile
  if (meet == Meet::tile) tile.sync();
  if (meet == Meet::warp) __syncwarp();
  y[t] = s[base + (t - base + 64) % 128];  //! round_the_tile
}
template <Meet meet>
bool goes_round() {
  Array<int> y(256);
  round_the_tile<meet><<<1, 256>>>(y);
  return y.is([](int i) { return i / 128 * 128 + (i % 128 + 64) % 128; });
}
bool sound_sync_of_a_tile() {
  return goes_round<Meet::tile>();
}
bool syncwarp_for_a_tile() {
  return goes_round<Meet::warp>();
}

// What the library may do in the memory that is reserved for it, a program may not in its own: a shuffle between read and write.
template <bool sync>
__global__ void read_and_replaced(int* y) {
  __shared__ int s[32];
  const int t = threadIdx.x;
  s[t] = t;
  __syncwarp();
  const int other = s[31 - t];  //~ read_and_replaced
  const int next = __shfl_sync(0xFFFFFFFF, t, 3);
  if (sync) __syncwarp();
  s[t] = next;  //! read_and_replaced
  y[t] = other;
}
template <bool sync>
bool replaces() {
  Array<int> y(32);
  read_and_replaced<sync><<<1, 32>>>(y);
  return y.is([](int i) { return 31 - i; });
}
bool sound_syncwarp_between_read_and_write() {
  return replaces<true>();
}
bool shuffle_between_read_and_write() {
  return replaces<false>();
}

// Every thread draws a ticket, and the last one of all sums up.
enum class Draw { fences, one_fence, acq_rel, seq_cst, relaxed };
template <Draw draw>
__global__ void last_thread(int* x, int* y) {
  const int t = threadIdx.x;
  x[t] = t;  //~ last_thread
  if (draw == Draw::fences) __threadfence();
  cuda::atomic_ref<int, cuda::thread_scope_device> count(y[1]);
  const int ticket = draw == Draw::acq_rel   ? count.fetch_add(1, cuda::memory_order_acq_rel)
                     : draw == Draw::seq_cst ? count.fetch_add(1)
                                             : atomicAdd(&y[1], 1);
  if (ticket != static_cast<int>(blockDim.x) - 1) return;
  if (draw == Draw::fences || draw == Draw::one_fence) __threadfence();
  int sum = 0;
  for (int i = 0; i < static_cast<int>(blockDim.x); ++i) sum += x[i];  //! last_thread
  y[0] = sum;
}
template <Draw draw>
bool draws() {
  Array<int> x(64), y(2);
  last_thread<draw><<<1, 64>>>(x, y);
  return y.is([](int i) { return i == 0 ? 2016 : 64; });
}
bool sound_last_thread_by_fences() {
  return draws<Draw::fences>();
}
bool sound_last_thread_by_acq_rel() {
  return draws<Draw::acq_rel>();
}
bool sound_last_thread_by_seq_cst() {
  return draws<Draw::seq_cst>();
}
bool last_thread_without_fences() {
  return draws<Draw::relaxed>();
}
bool last_thread_with_one_fence() {
  return draws<Draw::one_fence>();
}

// Each thread reads what the one wrote that drew before it, or after.
template <int step>
__global__ void chain(int* y) {
  __shared__ int s[32], count;
  const int t = threadIdx.x;
  if (t == 0) count = 0;
  __syncwarp();
  s[t] = t + 1;  //~ chain
  cuda::atomic_ref<int, cuda::thread_scope_block> next(count);
  const int other = next.fetch_add(1, cuda::memory_order_acq_rel) + step;
  if (other >= 0 && other < 32) y[t] = s[other];  //! chain
}
template <int step>
bool chains() {
  Array<int> y(32);
  chain<step><<<1, 32>>>(y);
  return true;
}
bool sound_ticket_before() {
  return chains<-1>();
}
bool ticket_behind() {
  return chains<1>();
}

// A barrier whose last arrival does something for all, by any thread.
struct AddUp {
  int *sum, *total;
  __device__ void operator()() noexcept {
    *total += *sum;
    *sum = 0;
  }
};
__global__ void completion(int* y) {
  __shared__ int sum, total;
  using Barrier = cuda::barrier<cuda::thread_scope_block, AddUp>;
  __shared__ alignas(Barrier) char storage[sizeof(Barrier)];
  Barrier* const barrier = reinterpret_cast<Barrier*>(storage);
  if (threadIdx.x == 0) {
    sum = total = 0;
    new (barrier) Barrier(blockDim.x, AddUp{&sum, &total});
  }
  __syncthreads();
  int seen = 0;
  for (int turn = 0; turn < 3; ++turn) {
    atomicAdd(&sum, 1);
    barrier->arrive_and_wait();
    seen = total;
    barrier->arrive_and_wait();
  }
  y[threadIdx.x] = seen;
}
bool sound_completion_function() {
  Array<int> y(64);
  completion<<<1, 64>>>(y);
  return y.is([](int) { return 192; });
}

// One word for each tile, which its first lane writes and all read.
enum class Of { own, next };
template <Of whose>
__global__ void word_of_a_tile(int* y) {
  __shared__ int s[9];
  const auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  const int mine = threadIdx.x / 4;
  int sum = 0;
  for (int turn = 0; turn < 3; ++turn) {
    if (tile.thread_rank() == 0) s[mine] = turn + 1;  //! word_of_a_tile
    tile.sync();
    sum += s[whose == Of::own ? mine : (mine + 1) % 8];  //~ word_of_a_tile
    tile.sync();
  }
  y[threadIdx.x] = sum;
}
bool sound_word_of_a_tile() {
  Array<int> y(32);
  word_of_a_tile<Of::own><<<1, 32>>>(y);
  return y.is([](int) { return 6; });
}
bool word_of_the_next_tile() {
  Array<int> y(32);
  word_of_a_tile<Of::next><<<1, 32>>>(y);
  return true;
}

// The same for lanes that lie apart: labelled groups, and the arms of a branch.
__global__ void words_of_groups(int* y) {
  __shared__ int s[32];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int t = threadIdx.x;
  const auto group = cg::labeled_partition(warp, t % 5);
  s[t] = t;
  group.sync();
  const int first = s[group.shfl(t, 0)];
  group.sync();
  s[t] = first;
  const unsigned arm = t & 1 ? 0xAAAAAAAA : 0x55555555;
  __syncwarp();
  int sum = s[t];
  for (int turn = 0; turn < 2; ++turn) {
    __syncwarp(arm);
    if (t < 2) s[t] = turn;
    __syncwarp(arm);
    sum += s[t & 1];
  }
  y[t] = sum;
}
bool sound_words_of_groups() {
  Array<int> y(32);
  words_of_groups<<<1, 32>>>(y);
  return y.is([](int i) { return i % 5 + 1; });
}

const Case cases[] = {
    CASE(sound_tiles_of_64),
    CASE(sound_tiles_of_128),
    CASE(sound_tiles_of_512),
    CASE(sound_sync_of_a_tile),
    CASE(syncwarp_for_a_tile),
    CASE(sound_syncwarp_between_read_and_write),
    CASE(shuffle_between_read_and_write),
    CASE(sound_last_thread_by_fences),
    CASE(sound_last_thread_by_acq_rel),
    CASE(sound_last_thread_by_seq_cst),
    CASE(last_thread_without_fences),
    CASE(last_thread_with_one_fence),
    CASE(sound_ticket_before),
    CASE(ticket_behind),
    CASE(sound_completion_function),
    CASE(sound_word_of_a_tile),
    CASE(word_of_the_next_tile),
    CASE(sound_words_of_groups),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

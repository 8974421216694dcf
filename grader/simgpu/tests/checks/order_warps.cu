/// @file
/// Lanes of one warp: where they meet at warp-wide instructions, and what orders their memory.
#include <cooperative_groups.h>

#include "order.hpp"

namespace cg = cooperative_groups;

constexpr unsigned kFull = 0xFFFF'FFFFu;

// Lanes meet by mask and kind of instruction, wherever each of them stands.

enum class Arms { both, one };

template <Arms arms>
__global__ void shuffle_arms(int* y) {
  const int lane = threadIdx.x;
  int v = 100 * lane;
  if (lane < 16) {
    v = __shfl_xor_sync(kFull, v + 1, 1) * 2;  //! shuffle_arms
  } else if (arms == Arms::both) {
    v = __shfl_xor_sync(kFull, v + 3, 1) - 7;
  }
  asm volatile("barrier.sync 0;" ::: "memory");  // nobody ends, which would do as well as to come
  y[lane] = v;
}
bool sound_shuffle_in_both_arms() {
  Array<int> y(32);
  shuffle_arms<Arms::both><<<1, 32>>>(y);
  return y.is([](int i) { return i < 16 ? (100 * (i ^ 1) + 1) * 2 : 100 * (i ^ 1) + 3 - 7; });
}
bool shuffle_in_one_arm() {
  Array<int> y(32);
  shuffle_arms<Arms::one><<<1, 32>>>(y);
  return true;
}

// Each arm needs what lanes of the other one give.
__global__ void shuffle_across(int* y) {
  const int lane = threadIdx.x;
  int v = 10 * lane;
  if (lane & 1)
    v = __shfl_xor_sync(kFull, v + 5, 1) * 3;
  else
    v = __shfl_xor_sync(kFull, v + 2, 1) + 4;
  y[lane] = v;
}
bool sound_shuffle_across_arms() {
  Array<int> y(32);
  shuffle_across<<<1, 32>>>(y);
  return y.is([](int i) { return i & 1 ? (10 * (i - 1) + 2) * 3 : 10 * (i + 1) + 5 + 4; });
}

enum class Votes { alike, of_two_kinds };

template <Votes votes>
__global__ void vote_arms(const int* x, unsigned* y) {
  const int lane = threadIdx.x;
  unsigned v;
  if (lane % 3 == 0) {
    v = __ballot_sync(kFull, x[lane] == 0) ^ 1u;  //! vote_arms
  } else if (votes == Votes::alike) {
    v = __ballot_sync(kFull, lane & 1) + 2u;
  } else {
    v = __any_sync(kFull, lane & 1);  //! vote_arms
  }
  y[lane] = v;
}
bool sound_votes_in_both_arms() {
  Array<int> x(32);
  Array<unsigned> y(32);
  vote_arms<Votes::alike><<<1, 32>>>(x, y);
  unsigned all = 0;
  for (int i = 0; i < 32; ++i) all |= static_cast<unsigned>(i % 3 == 0 || (i & 1)) << i;
  return y.is([&](int i) { return i % 3 == 0 ? all ^ 1u : all + 2u; });
}
bool votes_of_two_kinds() {
  Array<int> x(32);
  Array<unsigned> y(32);
  vote_arms<Votes::of_two_kinds><<<1, 32>>>(x, y);
  return true;
}

enum class Masks { equal, different };

template <Masks masks>
__global__ void sync_arms(int* y) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  if (lane < 16) {
    s[lane] = 2 * lane;
    __syncwarp();  //! sync_arms
    y[lane] = s[31 - lane];
  } else {
    s[lane] = 3 * lane;
    __syncwarp(masks == Masks::equal ? kFull : 0xFFFF'0000u);
    y[lane] = 1 + (masks == Masks::equal ? s[31 - lane] : 0);
  }
  asm volatile("barrier.sync 0;" ::: "memory");  // until all have come, nobody ends
}
bool sound_syncwarp_in_both_arms() {
  Array<int> y(32);
  sync_arms<Masks::equal><<<1, 32>>>(y);
  return y.is([](int i) { return i < 16 ? 3 * (31 - i) : 1 + 2 * (31 - i); });
}
bool syncwarp_of_two_masks() {
  Array<int> y(32);
  sync_arms<Masks::different><<<1, 32>>>(y);
  return true;
}

enum class Reductions { alike, of_two_kinds };

template <Reductions reductions>
__global__ void reduce_arms(unsigned* y) {
  const unsigned lane = threadIdx.x;
  unsigned v;
  if (lane < 10)
    v = __reduce_add_sync(kFull, lane + 1) * 2;  //! reduce_arms
  else if (reductions == Reductions::alike)
    v = __reduce_add_sync(kFull, 2 * lane) + 1;
  else
    v = __reduce_max_sync(kFull, 2 * lane);  //! reduce_arms
  y[lane] = v;
}
bool sound_reductions_in_both_arms() {
  Array<unsigned> y(32);
  reduce_arms<Reductions::alike><<<1, 32>>>(y);
  unsigned sum = 0;
  for (unsigned i = 0; i < 32; ++i) sum += i < 10 ? i + 1 : 2 * i;
  return y.is([&](int i) { return i < 10 ? 2 * sum : sum + 1; });
}
bool reductions_of_two_kinds() {
  Array<unsigned> y(32);
  reduce_arms<Reductions::of_two_kinds><<<1, 32>>>(y);
  return true;
}

// A function that is not inlined is called from both arms: lanes are in two activations of it.
__device__ __noinline__ unsigned agree(unsigned value, int depth) {
  if (depth > 0) return agree(value + 1, depth - 1) + 1;
  return __match_any_sync(kFull, value & 3);
}
__global__ void match_in_calls(unsigned* y) {
  const unsigned lane = threadIdx.x;
  y[lane] = lane < 8 ? agree(lane, 2) : agree(lane + 2, 0);
}
bool sound_match_in_calls() {
  Array<unsigned> y(32);
  match_in_calls<<<1, 32>>>(y);
  return y.is([&](int i) {
    unsigned same = 0;
    for (int k = 0; k < 32; ++k) same |= static_cast<unsigned>((k & 3) == (i & 3)) << k;
    return same + (i < 8 ? 2 : 0);
  });
}

// Lanes that have ended are not waited for; but they have nothing to give.

template <int from>
__global__ void after_exit(int* y) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  if (lane >= 20) return;
  s[lane] = lane;
  __syncwarp();
  const int v = __shfl_sync(kFull, 7 * lane, from);  //! after_exit
  y[lane] = s[19 - lane] + v;
}
bool sound_early_exit() {
  Array<int> y(32);
  after_exit<5><<<1, 32>>>(y);
  return y.is([](int i) { return i < 20 ? 19 - i + 35 : 0; });
}
bool shuffle_from_ended_lane() {
  Array<int> y(32);
  after_exit<25><<<1, 32>>>(y);
  return true;
}

template <bool within>
__global__ void shuffle_groups(int* y) {
  const int lane = threadIdx.x;
  const unsigned mates = __match_any_sync(kFull, lane % 4);
  const int leader = __ffs(mates) - 1;
  if (lane % 4 != 3) y[lane] = __shfl_sync(mates, 5 * lane, within ? leader : leader + 1);  //! shuffle_groups
}
bool sound_shuffle_in_groups() {
  Array<int> y(32);
  shuffle_groups<true><<<1, 32>>>(y);
  return y.is([](int i) { return i % 4 != 3 ? 5 * (i % 4) : 0; });
}
bool shuffle_from_outside_the_mask() {
  Array<int> y(32);
  shuffle_groups<false><<<1, 32>>>(y);
  return true;
}

// Lanes that their own mask does not name: nobody waits for anybody, and the kernel goes on.
__global__ void pass_up(int* y) {
  const int lane = threadIdx.x;
  y[lane] = __shfl_up_sync(0xFFFFu, 5 * lane, 16);  //! pass_up
}
bool shuffle_of_half_by_all() {
  Array<int> y(32);
  pass_up<<<1, 32>>>(y);
  return y.is([](int i) { return 5 * (i % 16); });
}

__global__ void ranks(int* y) {
  const int lane = threadIdx.x;
  y[lane] = __popc(__ballot_sync((1u << lane) - 1, lane % 3 == 0));  //! ranks
}
bool ballot_of_the_lanes_below() {
  Array<int> y(32);
  ranks<<<1, 32>>>(y);
  return y.is([](int i) { return (i + 2) / 3; });
}

// One lane of those that are there works for all.
__global__ void aggregated(const int* x, int* count, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (x[i] % 2 == i % 2) {
    const cg::coalesced_group those = cg::coalesced_threads();
    int base = 0;
    if (those.thread_rank() == 0) base = atomicAdd(count, static_cast<int>(those.size()));
    base = those.shfl(base, 0);
    y[base + those.thread_rank()] = 1;
  }
}
bool sound_aggregated_atomics() {
  Array<int> x(128), count(1), y(128);
  aggregated<<<2, 64>>>(x, count, y);
  return y.is([](int i) { return i < 64; }) && count.is([](int) { return 64; });
}

// Memory: only __syncwarp() (and barriers) order it.

enum class Between { syncwarp, nothing, a_shuffle, a_vote, half };

template <Between between>
__device__ void order() {
  if (between == Between::syncwarp) __syncwarp();
  if (between == Between::a_shuffle && __shfl_down_sync(kFull, static_cast<int>(clock()), 1) == 1) __trap();
  if (between == Between::a_vote && __all_sync(kFull, clock() == 1)) __trap();
  if (between == Between::half) __syncwarp(threadIdx.x < 16 ? 0xFFFFu : 0xFFFF'0000u);
}

template <Between between>
__global__ void mirror(const int* x, int* y) {
  __shared__ int s[32];
  s[threadIdx.x] = x[threadIdx.x] + static_cast<int>(threadIdx.x);  //~ mirror
  order<between>();
  y[threadIdx.x] = s[31 - threadIdx.x];  //! mirror
}
template <Between between>
bool mirrors() {
  Array<int> x(32), y(32);
  mirror<between><<<1, 32>>>(x, y);
  return y.is([](int i) { return 31 - i; });
}
bool sound_mirror() {
  return mirrors<Between::syncwarp>();
}
bool no_syncwarp() {
  return mirrors<Between::nothing>();
}
bool shuffle_for_syncwarp() {
  return mirrors<Between::a_shuffle>();
}
bool vote_for_syncwarp() {
  return mirrors<Between::a_vote>();
}
bool syncwarp_of_half() {
  return mirrors<Between::half>();
}

// In global memory, each half for itself: the half's sync is enough.
__global__ void mirror_halves(int* x) {
  const unsigned lane = threadIdx.x, half = lane / 16;
  x[lane] = lane;
  __syncwarp(half ? 0xFFFF'0000u : 0xFFFFu);
  const int v = x[half * 16 + 15 - lane % 16];
  __syncwarp(half ? 0xFFFF'0000u : 0xFFFFu);
  x[lane] = v;
}
bool sound_halves() {
  Array<int> x(32);
  mirror_halves<<<1, 32>>>(x);
  return x.is([](int i) { return i / 16 * 16 + 15 - i % 16; });
}

template <Between before_write>
__global__ void warp_scan(int* x) {
  __shared__ int s[32];
  const int lane = threadIdx.x;
  s[lane] = x[lane] + 1;
  for (int d = 1; d < 32; d *= 2) {
    __syncwarp();
    const int left = lane >= d ? s[lane - d] : 0;  //! warp_scan
    order<before_write>();
    s[lane] += left;  //! warp_scan
  }
  x[lane] = s[lane];
}
bool sound_warp_scan() {
  Array<int> x(32);
  warp_scan<Between::syncwarp><<<1, 32>>>(x);
  return x.is([](int i) { return i + 1; });
}
bool overwritten_before_read() {
  Array<int> x(32);
  warp_scan<Between::nothing><<<1, 32>>>(x);
  return true;
}

// All read one word, the last lane replaces it.
template <Between between>
__global__ void carry(int* y) {
  __shared__ int total;
  const int lane = threadIdx.x;
  if (lane == 0) total = 0;
  int sum = 0;
  for (int k = 0; k < 4; ++k) {
    __syncwarp();
    sum = total + lane;  //~ carry
    order<between>();
    if (lane == 31) total = sum;  //! carry
  }
  y[lane] = sum;
}
bool sound_carry() {
  Array<int> y(32);
  carry<Between::syncwarp><<<1, 32>>>(y);
  return y.is([](int i) { return 3 * 31 + i; });
}
bool carry_too_early() {
  Array<int> y(32);
  carry<Between::nothing><<<1, 32>>>(y);
  return true;
}

// Tiles of a warp: their sync is for their own threads.
template <bool whole_warp>
__global__ void tiles(int* y) {
  __shared__ int s[64];
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = threadIdx.x;  //~ tiles
  tile.sync();
  const int from = whole_warp ? threadIdx.x ^ 8 : threadIdx.x ^ 7;
  y[threadIdx.x] = s[from];  //! tiles
}
bool sound_tiles() {
  Array<int> y(64);
  tiles<false><<<1, 64>>>(y);
  return y.is([](int i) { return i ^ 7; });
}
bool tile_reads_the_next_tile() {
  Array<int> y(64);
  tiles<true><<<1, 64>>>(y);
  return true;
}

const Case cases[] = {
    CASE(sound_shuffle_in_both_arms),
    CASE(sound_shuffle_across_arms),
    CASE(sound_votes_in_both_arms),
    CASE(sound_syncwarp_in_both_arms),
    CASE(sound_reductions_in_both_arms),
    CASE(sound_match_in_calls),
    CASE(sound_early_exit),
    CASE(sound_shuffle_in_groups),
    CASE(sound_aggregated_atomics),
    CASE(sound_mirror),
    CASE(sound_halves),
    CASE(sound_warp_scan),
    CASE(sound_carry),
    CASE(sound_tiles),
    CASE(shuffle_in_one_arm),
    CASE(votes_of_two_kinds),
    CASE(syncwarp_of_two_masks),
    CASE(reductions_of_two_kinds),
    CASE(shuffle_from_ended_lane),
    CASE(shuffle_from_outside_the_mask),
    CASE(shuffle_of_half_by_all),
    CASE(ballot_of_the_lanes_below),
    CASE(no_syncwarp),
    CASE(shuffle_for_syncwarp),
    CASE(vote_for_syncwarp),
    CASE(syncwarp_of_half),
    CASE(overwritten_before_read),
    CASE(carry_too_early),
    CASE(tile_reads_the_next_tile),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Flags: a release and an acquire, or fences on both sides, each with a scope that holds both threads; atomics by scope;
/// and stores of one value.
#include <cooperative_groups.h>
#include <cuda/atomic>

#include "order.hpp"

namespace cg = cooperative_groups;

// Block 0 writes, block 1 reads, a flag between them.

constexpr auto kDevice = cuda::thread_scope_device;

__global__ void pass_atomic(int* data, int* flag, int* y, cuda::memory_order store_order,
                            cuda::memory_order load_order) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 3 * threadIdx.x;  //~ pass_atomic
    __syncthreads();
    if (threadIdx.x == 0) {
      cuda::atomic_ref<int, kDevice> f(*flag);
      store_order == cuda::memory_order_release ? f.store(1, cuda::memory_order_release)
                                                : f.store(1, cuda::memory_order_relaxed);
    }
  } else {
    if (threadIdx.x == 0) {
      cuda::atomic_ref<int, kDevice> f(*flag);
      while ((load_order == cuda::memory_order_acquire ? f.load(cuda::memory_order_acquire)
                                                       : f.load(cuda::memory_order_relaxed)) == 0) {
      }
    }
    __syncthreads();
    y[threadIdx.x] = data[threadIdx.x];  //! pass_atomic
  }
}
bool passes_on(cuda::memory_order store_order, cuda::memory_order load_order) {
  Array<int> data(64), flag(1), y(64);
  pass_atomic<<<2, 64>>>(data, flag, y, store_order, load_order);
  return y.is([](int i) { return 3 * i; });
}
bool sound_release_and_acquire() {
  return passes_on(cuda::memory_order_release, cuda::memory_order_acquire);
}
bool relaxed_store() {
  return passes_on(cuda::memory_order_relaxed, cuda::memory_order_acquire);
}
bool relaxed_load() {
  return passes_on(cuda::memory_order_release, cuda::memory_order_relaxed);
}

enum class Fences { both, no_reader, no_writer, narrow_writer, narrow_reader, wrong_flag };

template <Fences fences>
__global__ void pass_volatile(int* data, volatile int* flags, int* y) {
  if (blockIdx.x < 2) {
    data[blockIdx.x * 64 + threadIdx.x] = 5 * threadIdx.x;  //~ pass_volatile
    __syncthreads();
    if (threadIdx.x == 0) {
      if (fences == Fences::narrow_writer)
        __threadfence_block();
      else if (fences != Fences::no_writer)
        __threadfence();
      flags[blockIdx.x] = 1;
    }
  } else {
    if (threadIdx.x == 0) {
      while (flags[fences == Fences::wrong_flag] == 0) {
      }
      if (fences == Fences::narrow_reader)
        __threadfence_block();
      else if (fences != Fences::no_reader)
        __threadfence();
    }
    __syncthreads();
    y[threadIdx.x] = data[threadIdx.x];  //! pass_volatile
  }
}
template <Fences fences>
bool passes_volatile() {
  Array<int> data(128), flags(2), y(64);
  pass_volatile<fences><<<3, 64>>>(data, flags, y);
  return y.is([](int i) { return 5 * i; });
}
bool sound_fences_on_both_sides() {
  return passes_volatile<Fences::both>();
}
bool no_fence_of_the_writer() {
  return passes_volatile<Fences::no_writer>();
}
bool no_fence_of_the_reader() {
  return passes_volatile<Fences::no_reader>();
}
bool writer_fences_for_its_block() {
  return passes_volatile<Fences::narrow_writer>();
}
bool reader_fences_for_its_block() {
  return passes_volatile<Fences::narrow_reader>();
}
bool waits_for_the_wrong_flag() {
  return passes_volatile<Fences::wrong_flag>();
}

// Within a block, between warps: here the narrow scope is right.
template <bool fenced>
__global__ void pass_in_block(int* y) {
  __shared__ int s[32];
  __shared__ volatile int flag;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    s[lane] = 9 * lane;  //~ pass_in_block
    __syncwarp();
    if (fenced) __threadfence_block();
    if (lane == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    if (fenced) __threadfence_block();
    y[lane] = s[31 - lane];  //! pass_in_block
  }
}
bool sound_flag_in_block() {
  Array<int> y(32);
  pass_in_block<true><<<1, 64>>>(y);
  return y.is([](int i) { return 9 * (31 - i); });
}
bool flag_in_block_without_fences() {
  Array<int> y(32);
  pass_in_block<false><<<1, 64>>>(y);
  return true;
}

// Lane 0 speaks for its warp: what the others did has to be its own first, and what it has learnt theirs afterwards.
template <bool sync_before, bool sync_after>
__global__ void speaker(int* data, int* flag, int* y) {
  const int lane = threadIdx.x;
  cuda::atomic_ref<int, kDevice> f(*flag);
  if (blockIdx.x == 0) {
    data[lane] = lane + 7;  //~ speaker
    if (sync_before) __syncwarp();
    if (lane == 0) f.store(1, cuda::memory_order_release);
  } else {
    if (lane == 0)
      while (f.load(cuda::memory_order_acquire) == 0) {
      }
    if (sync_after) __syncwarp();
    y[lane] = data[31 - lane];  //! speaker
  }
}
template <bool sync_before, bool sync_after>
bool speaks() {
  Array<int> data(32), flag(1), y(32);
  speaker<sync_before, sync_after><<<2, 32>>>(data, flag, y);
  return y.is([](int i) { return 31 - i + 7; });
}
bool sound_speaker() {
  return speaks<true, true>();
}
bool others_not_synced_before_release() {
  return speaks<false, true>();
}
bool others_not_synced_after_acquire() {
  return speaks<true, false>();
}

// Compacts in place: a block writes where earlier ones have read. That they have, it learns from a count that each hands on.
template <bool waits>
__global__ void compact(int* data, int* counts) {
  __shared__ int before;
  const int value = data[blockIdx.x * 64 + threadIdx.x];  //~ compact
  const bool keeps = value % 8 == 0;
  const int kept = __syncthreads_count(keeps);
  if (threadIdx.x == 0) {
    int sum = 8 * blockIdx.x;
    if (waits && blockIdx.x > 0) {
      cuda::atomic_ref<int, kDevice> left(counts[blockIdx.x - 1]);
      while ((sum = left.load(cuda::memory_order_relaxed)) == 0) {
      }
    }
    cuda::atomic_ref<int, kDevice>(counts[blockIdx.x]).store(sum + kept, cuda::memory_order_relaxed);
    before = sum;
  }
  __syncthreads();
  if (keeps) data[before + threadIdx.x / 8] = value;  //! compact
}
__global__ void number(int* data) {
  data[blockIdx.x * 64 + threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
}
template <bool waits>
bool compacts() {
  Array<int> data(256), counts(4);
  number<<<4, 64>>>(data);
  compact<waits><<<4, 64>>>(data, counts);
  return data.is([](int i) { return i < 32 ? 8 * i : i; });
}
bool sound_compaction() {
  return compacts<true>();
}
bool compaction_without_waiting() {
  return compacts<false>();
}

// From block to block to block.
template <bool middle_acquires>
__global__ void relay(int* data, int* flags, int* y) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, kDevice> first(flags[0]), second(flags[1]);
  if (blockIdx.x == 0) {
    *data = 42;  //~ relay
    first.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (first.load(middle_acquires ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    second.store(1, middle_acquires ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (second.load(cuda::memory_order_acquire) == 0) {
    }
    *y = *data;  //! relay
  }
}
bool sound_relay() {
  Array<int> data(1), flags(2), y(1);
  relay<true><<<3, 32>>>(data, flags, y);
  return y.is([](int) { return 42; });
}
bool relay_breaks_off() {
  Array<int> data(1), flags(2), y(1);
  relay<false><<<3, 32>>>(data, flags, y);
  return true;
}

// The last block to draw a ticket adds up.
enum class Ticket { sound, not_fenced_behind, atomic_order };

template <Ticket kind>
__global__ void last_block(int* partial, unsigned* tickets, int* y) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = blockIdx.x + 1;  //~ last_block
    if (kind == Ticket::atomic_order) {
      cuda::atomic_ref<unsigned, kDevice> t(*tickets);
      last = t.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
    } else {
      __threadfence();
      last = atomicAdd(tickets, 1) == gridDim.x - 1;
      if (kind == Ticket::sound) __threadfence();
    }
  }
  __syncthreads();
  if (last && threadIdx.x < 32) {
    int sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += 32) sum += partial[b];  //! last_block
    sum = __reduce_add_sync(0xFFFF'FFFFu, sum);
    if (threadIdx.x == 0) *y = sum;
  }
}
template <Ticket kind>
bool adds_up() {
  Array<int> partial(40), y(1);
  Array<unsigned> tickets(1);
  last_block<kind><<<40, 64>>>(partial, tickets, y);
  return y.is([](int) { return 820; });
}
bool sound_ticket() {
  return adds_up<Ticket::sound>();
}
bool sound_ticket_in_atomic_order() {
  return adds_up<Ticket::atomic_order>();
}
bool ticket_not_fenced_behind() {
  return adds_up<Ticket::not_fenced_behind>();
}

// Very many flags: each thread announces what it has written in one of some words, and the last one of each word looks at what the others
// of it have.
template <bool fence_before, bool fence_behind>
__global__ void many_flags(int* data, unsigned* counts, int words, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  data[i] = 1;  //~ many_flags
  if (fence_before) __threadfence();
  if (atomicAdd(&counts[i % words], 1) != n / words - 1) return;
  if (fence_behind) __threadfence();
  int sum = 0;
  for (int k = i % words; k < n; k += words) sum += data[k];  //! many_flags
  y[i % words] = sum;
}
template <bool fence_before, bool fence_behind>
bool raises_many() {
  constexpr int kBlocks = 512, kThreads = 240;
  bool right = true;
  for (const int words : {1, 48}) {
    Array<int> data(kBlocks * kThreads), y(words);
    Array<unsigned> counts(words);
    many_flags<fence_before, fence_behind><<<kBlocks, kThreads>>>(data, counts, words, y);
    right &= y.is([&](int) { return kBlocks * kThreads / words; });
  }
  return right;
}
bool sound_many_flags() {
  return raises_many<true, true>();
}
bool many_flags_without_fences() {
  return raises_many<false, false>();
}
bool many_flags_not_fenced_behind() {
  return raises_many<true, false>();
}

// A lock.
template <bool fence_behind, bool fence_before>
__global__ void locked(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if (fence_behind) __threadfence();
  *count += 1;  //! locked
  if (fence_before) __threadfence();
  atomicExch(lock, 0);
}
template <bool fence_behind, bool fence_before>
bool locks() {
  Array<int> lock(1), count(1);
  locked<fence_behind, fence_before><<<16, 32>>>(lock, count);
  return count.is([](int) { return 16; });
}
bool sound_lock() {
  return locks<true, true>();
}
bool lock_not_fenced_behind() {
  return locks<false, true>();
}
bool lock_not_fenced_before_release() {
  return locks<true, false>();
}

// Each thread has a lock for its turn, lanes of a warp as well.
__global__ void lanes_locked(int* lock, int* count) {
  cuda::atomic_ref<int, kDevice> l(*lock);
  bool done = false;
  while (!done) {
    int open = 0;
    if (l.compare_exchange_strong(open, 1, cuda::memory_order_acquire, cuda::memory_order_relaxed)) {
      *count += 1;
      l.store(0, cuda::memory_order_release);
      done = true;
    }
  }
}
bool sound_lanes_at_a_lock() {
  Array<int> lock(1), count(1);
  lanes_locked<<<2, 32>>>(lock, count);
  return count.is([](int) { return 64; });
}

// Atomics that hold for a block only.
template <bool own_word>
__global__ void count_in_block(int* counts, int* total) {
  atomicAdd_block(&counts[own_word ? blockIdx.x : 0], 1);  //! count_in_block
  __syncthreads();
  if (own_word && threadIdx.x == 0) atomicAdd(total, counts[blockIdx.x]);
}
bool sound_atomics_of_the_block() {
  Array<int> counts(4), total(1);
  count_in_block<true><<<4, 64>>>(counts, total);
  return total.is([](int) { return 256; });
}
bool atomics_of_the_block_across_blocks() {
  Array<int> counts(4), total(1);
  count_in_block<false><<<4, 64>>>(counts, total);
  return true;
}

// The whole grid meets.
__global__ void grid_phases(int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  int v = i;
  for (int k = 0; k < 3; ++k) {
    x[i] = v;
    cg::this_grid().sync();
    v = x[n - 1 - i] + 1;
    cg::this_grid().sync();
  }
  y[i] = v;
}
bool sound_grid_phases() {
  Array<int> x(512), y(512);
  int *px = x, *py = y;
  void* arguments[] = {&px, &py};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_phases), dim3(8), dim3(64), arguments);
  return y.is([](int i) { return 511 - i + 3; });
}

// Many threads store one value.
enum class Store { one, same, of_different_blocks, different };

template <Store store>
__global__ void set_flag(const int* x, int* found) {
  const bool hit = x[blockIdx.x * blockDim.x + threadIdx.x] == 0;
  if (store == Store::one && hit) atomicExch(found, 1);
  if (store == Store::same && hit && blockIdx.x == 0) *found = 1;                     //! set_flag
  if (store == Store::of_different_blocks && hit && threadIdx.x == 0) *found = 1;     //! set_flag
  if (store == Store::different && hit && threadIdx.x == 0) *found = blockIdx.x + 1;  //! set_flag
}
template <Store store>
bool sets() {
  Array<int> x(128), found(1);
  set_flag<store><<<2, 64>>>(x, found);
  return found.is([](int) { return 1; });
}
bool sound_one_value() {
  return sets<Store::one>();
}
bool one_value_by_many_threads() {
  return sets<Store::same>();
}
bool one_value_by_two_blocks() {
  return sets<Store::of_different_blocks>();
}
bool two_values_by_two_blocks() {
  return sets<Store::different>();
}

// One's own atomic comes after others' by chance, and says nothing of those that are still to come.
template <bool barrier>
__global__ void count_block(const int* x, int* y) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  atomicAdd(&count, x[threadIdx.x] + 1);  //~ count_block
  if (barrier)
    __syncthreads();
  else
    __syncwarp();
  if (threadIdx.x == 0) *y = count;  //! count_block
}
template <bool barrier>
bool counts_block() {
  Array<int> x(64), y(1);
  count_block<barrier><<<1, 64>>>(x, y);
  return y.is([](int) { return 64; });
}
bool sound_count_of_a_block() {
  return counts_block<true>();
}
bool count_read_before_the_barrier() {
  return counts_block<false>();
}

enum class Reset { by_last, by_last_unfenced, by_some, by_taken_position };

// The counter is zero again for the next kernel. Who has drawn the last ticket behind a fence comes after all others.
template <Reset who>
__global__ void count_grid(int* counter, int* y) {
  if (who == Reset::by_last) __threadfence();
  if (who == Reset::by_some) {
    atomicAdd(counter, 1);                          //~ count_grid
    if (blockIdx.x == gridDim.x - 1) *counter = 0;  //! count_grid
  } else if (who == Reset::by_taken_position) {
    y[atomicAdd(counter, 1)] = blockIdx.x;
  } else if (atomicAdd(counter, 1) == gridDim.x - 1) {  //~ count_grid
    *counter = 0;                                       //! count_grid
  }
}
template <Reset who>
bool counts_grid() {
  Array<int> counter(1), y(16);
  for (int k = 0; k < 2; ++k) count_grid<who><<<8, 1>>>(counter, y + 8 * k);
  return who != Reset::by_last || counter.is([](int) { return 0; });
}
bool sound_reset_by_the_last() {
  return counts_grid<Reset::by_last>();
}
bool sound_positions_drawn() {
  Array<int> counter(1), y(8);
  count_grid<Reset::by_taken_position><<<8, 1>>>(counter, y);
  return counter.is([](int) { return 8; });
}
bool reset_by_the_last_unfenced() {
  return counts_grid<Reset::by_last_unfenced>();
}
bool reset_by_some_block() {
  return counts_grid<Reset::by_some>();
}

// What several threads add to one word gets lost, whichever barrier there is.
template <int sharers>
__global__ void add_up(int* y, int step) {
  y[(blockIdx.x * blockDim.x + threadIdx.x) / step] += 1;  //! add_up
}
bool sound_own_sums() {
  Array<int> y(64);
  add_up<1><<<1, 64>>>(y, 1);
  return y.is([](int) { return 1; });
}
bool neighbours_add() {
  Array<int> y(32);
  add_up<2><<<1, 64>>>(y, 2);
  return true;
}
bool warps_add() {
  Array<int> y(1);
  add_up<64><<<1, 64>>>(y, 64);
  return true;
}
bool blocks_add() {
  Array<int> y(1);
  add_up<4><<<4, 1>>>(y, 4);
  return true;
}

const Case cases[] = {
    CASE(sound_release_and_acquire),
    CASE(sound_fences_on_both_sides),
    CASE(sound_flag_in_block),
    CASE(sound_speaker),
    CASE(sound_relay),
    CASE(sound_ticket),
    CASE(sound_ticket_in_atomic_order),
    CASE(sound_many_flags),
    CASE(many_flags_without_fences),
    CASE(many_flags_not_fenced_behind),
    CASE(sound_lock),
    CASE(sound_lanes_at_a_lock),
    CASE(sound_atomics_of_the_block),
    CASE(sound_grid_phases),
    CASE(sound_one_value),
    CASE(sound_compaction),
    CASE(sound_count_of_a_block),
    CASE(sound_reset_by_the_last),
    CASE(sound_positions_drawn),
    CASE(count_read_before_the_barrier),
    CASE(reset_by_the_last_unfenced),
    CASE(reset_by_some_block),
    CASE(sound_own_sums),
    CASE(neighbours_add),
    CASE(warps_add),
    CASE(blocks_add),
    CASE(relaxed_store),
    CASE(relaxed_load),
    CASE(no_fence_of_the_writer),
    CASE(no_fence_of_the_reader),
    CASE(writer_fences_for_its_block),
    CASE(reader_fences_for_its_block),
    CASE(waits_for_the_wrong_flag),
    CASE(flag_in_block_without_fences),
    CASE(others_not_synced_before_release),
    CASE(others_not_synced_after_acquire),
    CASE(relay_breaks_off),
    CASE(compaction_without_waiting),
    CASE(ticket_not_fenced_behind),
    CASE(lock_not_fenced_behind),
    CASE(lock_not_fenced_before_release),
    CASE(atomics_of_the_block_across_blocks),
    CASE(one_value_by_many_threads),
    CASE(one_value_by_two_blocks),
    CASE(two_values_by_two_blocks),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Barriers of a block: named and partial ones order those who take part in them, and nobody else.
#include <cuda/barrier>

#include "order.hpp"

__device__ void sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ void arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Two halves of a block, each with a barrier of its own.
template <bool own_half>
__global__ void halves(int* y) {
  __shared__ int s[128];
  const int t = threadIdx.x, half = t / 64;
  s[t] = t;  //~ halves
  sync(1 + half, 64);
  y[t] = s[own_half ? half * 64 + 63 - t % 64 : 127 - t];  //! halves
}
bool sound_named_barriers() {
  Array<int> y(128);
  halves<true><<<1, 128>>>(y);
  return y.is([](int i) { return i / 64 * 64 + 63 - i % 64; });
}
bool barrier_of_the_other_half() {
  Array<int> y(128);
  halves<false><<<1, 128>>>(y);
  return true;
}

// A named barrier without a count is for the whole block.
__global__ void whole(int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  asm volatile("bar.sync 5;" ::: "memory");
  y[threadIdx.x] = s[127 - threadIdx.x];
}
bool sound_named_barrier_of_all() {
  Array<int> y(128);
  whole<<<1, 128>>>(y);
  return y.is([](int i) { return 127 - i; });
}

// Three warps fill, one empties; the fillers need not wait for each other.
enum class Feed { sound, taker_only_arrives, written_after_arriving, never_empty, one_filler_left_out };

template <Feed feed>
__global__ void feeder(int* y, int rounds) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  constexpr int kEmpty = 3;
  constexpr int count = feed == Feed::one_filler_left_out ? 96 : 128;
  for (int k = 0; k < rounds; ++k) {
    const int kFull = 1 + k % 2;
    if (t < 96) {
      if (k > 0 && feed != Feed::never_empty) sync(kEmpty, 128);
      if (feed != Feed::written_after_arriving) s[t] = k + t;  //~ feeder
      if (feed != Feed::one_filler_left_out || t < 64) arrive(kFull, count);
      if (feed == Feed::written_after_arriving) s[t] = k + t;  //~ feeder
    } else {
      if (feed == Feed::taker_only_arrives)
        arrive(kFull, count);
      else
        sync(kFull, count);
      int sum = 0;
      for (int j = 0; j < 3; ++j) sum += s[j * 32 + t % 32];  //! feeder
      y[k * 32 + t % 32] = sum;
      if (k + 1 < rounds && feed != Feed::never_empty) arrive(kEmpty, 128);
    }
  }
}
template <Feed feed>
bool feeds(int rounds) {
  Array<int> y(32 * rounds);
  feeder<feed><<<1, 128>>>(y, rounds);
  return y.is([](int i) { return 3 * (i / 32 + i % 32) + 96; });
}
bool sound_producers_and_consumer() {
  return feeds<Feed::sound>(4);
}
bool consumer_only_arrives() {
  return feeds<Feed::taker_only_arrives>(1);
}
bool written_after_arriving() {
  return feeds<Feed::written_after_arriving>(1);
}
bool buffer_never_empty() {
  return feeds<Feed::never_empty>(2);
}
bool one_producer_left_out() {
  return feeds<Feed::one_filler_left_out>(1);
}

// The count is too small: any two warps that come first go on.
template <int count>
__global__ void counted(int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;  //~ counted
  sync(3, count);
  y[threadIdx.x] = s[127 - threadIdx.x];  //! counted
}
bool sound_counted_barrier() {
  Array<int> y(128);
  counted<128><<<1, 128>>>(y);
  return y.is([](int i) { return 127 - i; });
}
bool barrier_counts_half() {
  Array<int> y(128);
  counted<64><<<1, 128>>>(y);
  return true;
}

// Barriers that also count or vote are barriers, too.
__global__ void counting(int* y) {
  __shared__ int s[96];
  s[threadIdx.x] = threadIdx.x;
  const int odd = __syncthreads_count(threadIdx.x & 1);
  const int v = s[95 - threadIdx.x];
  const int any = __syncthreads_or(v == 95);
  s[threadIdx.x] = v + odd + any;
  const int all = __syncthreads_and(v < 96);
  y[threadIdx.x] = s[95 - threadIdx.x] + all;
}
bool sound_counting_barriers() {
  Array<int> y(96);
  counting<<<1, 96>>>(y);
  return y.is([](int i) { return i + 48 + 1 + 1; });
}

// Lanes of two warps leave early; the rest go on meeting.
__global__ void leavers(int* y) {
  __shared__ int s[96];
  const int t = threadIdx.x;
  s[t] = t;
  if (t >= 40) return;
  __syncthreads();
  y[t] = s[39 - t];
}
bool sound_leavers() {
  Array<int> y(40);
  leavers<<<1, 96>>>(y);
  return y.is([](int i) { return 39 - i; });
}

// A barrier object in shared memory.
#pragma nv_diag_suppress static_var_with_dynamic_init
enum class Object { sound, outsider_reads, written_between };

template <Object object>
__global__ void barrier_object(int* y) {
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  __shared__ int s[128];
  const int t = threadIdx.x;
  if (t == 0) init(&bar, 64);
  __syncthreads();
  if (t < 64) {
    if (object != Object::written_between) s[t] = t;  //~ barrier_object
    auto token = bar.arrive();
    if (object == Object::written_between) s[t] = t;  //~ barrier_object
    bar.wait(std::move(token));
    y[t] = s[63 - t];  //! barrier_object
  } else {
    y[t] = object == Object::outsider_reads ? s[127 - t] : 0;  //! barrier_object
  }
}
bool sound_barrier_object() {
  Array<int> y(128);
  barrier_object<Object::sound><<<1, 128>>>(y);
  return y.is([](int i) { return i < 64 ? 63 - i : 0; });
}
bool outsider_of_a_barrier_object() {
  Array<int> y(128);
  barrier_object<Object::outsider_reads><<<1, 128>>>(y);
  return true;
}
bool written_between_arrival_and_wait() {
  Array<int> y(128);
  barrier_object<Object::written_between><<<1, 128>>>(y);
  return true;
}

// A ring of two buffers, guarded by barrier objects: what a pipeline is made of.
template <bool guarded>
__global__ void ring(const int* x, int* y, int rounds) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ Barrier filled[8], emptied[2];
  __shared__ int s[2][32];
  const int t = threadIdx.x, lane = t % 32;
  if (t < 8) init(&filled[t], 64);
  if (t < 2) init(&emptied[t], 64);
  __syncthreads();
  if (t < 32) {
    for (int k = 0; k < rounds; ++k) {
      if (guarded && k >= 2) emptied[k % 2].arrive_and_wait();
      s[k % 2][lane] = x[k * 32 + lane] + k + lane;  //! ring
      (void)filled[k].arrive();
    }
  } else {
    for (int k = 0; k < rounds; ++k) {
      filled[k].arrive_and_wait();
      y[k * 32 + lane] = s[k % 2][31 - lane];  //~ ring
      if (guarded && k + 2 < rounds) (void)emptied[k % 2].arrive();
    }
  }
}
bool sound_ring() {
  Array<int> x(192), y(192);
  ring<true><<<1, 64>>>(x, y, 6);
  return y.is([](int i) { return i / 32 + 31 - i % 32; });
}
bool ring_without_return() {
  Array<int> x(192), y(192);
  ring<false><<<1, 64>>>(x, y, 3);
  return true;
}

const Case cases[] = {
    CASE(sound_named_barriers),         CASE(sound_named_barrier_of_all),
    CASE(sound_producers_and_consumer), CASE(sound_counted_barrier),
    CASE(sound_counting_barriers),      CASE(sound_leavers),
    CASE(sound_barrier_object),         CASE(sound_ring),
    CASE(barrier_of_the_other_half),    CASE(consumer_only_arrives),
    CASE(written_after_arriving),       CASE(buffer_never_empty),
    CASE(one_producer_left_out),        CASE(barrier_counts_half),
    CASE(outsider_of_a_barrier_object), CASE(written_between_arrival_and_wait),
    CASE(ring_without_return),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Flags between kernels of different streams, and from a kernel to the host: raised behind a fence, and in the first case looked at
/// before one. And single words that the host reads while a copy may still be bringing them.
#include <cuda/atomic>

#include "order.hpp"

namespace {

constexpr auto kDevice = cuda::thread_scope_device;
constexpr int kCount = 64;

__device__ void raise(int* flag, bool releases) {
  cuda::atomic_ref<int, kDevice> f(*flag);
  releases ? f.store(1, cuda::memory_order_release) : f.store(1, cuda::memory_order_relaxed);
}
__device__ void wait_for(int* flag, bool acquires) {
  cuda::atomic_ref<int, kDevice> f(*flag);
  while ((acquires ? f.load(cuda::memory_order_acquire) : f.load(cuda::memory_order_relaxed)) == 0) {
  }
}

template <bool releases>
__global__ void produces(int* x, int* flag) {
  x[threadIdx.x] = threadIdx.x;  //~ passed
  __syncthreads();
  if (threadIdx.x == 0) raise(flag, releases);
}
__global__ void relays(int* flag, int* next) {
  wait_for(flag, true);
  raise(next, true);
}
template <bool acquires>
__global__ void consumes(const int* x, int* flag, int* y) {
  if (threadIdx.x == 0) wait_for(flag, acquires);
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x];  //! passed
}

// The one that waits is launched first, or second.
template <bool releases, bool acquires, bool consumer_first>
bool passes_data() {
  Array<int> x(kCount), flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  if (!consumer_first) produces<releases><<<1, kCount, 0, on.a>>>(x, flag);
  consumes<acquires><<<1, kCount, 0, on.b>>>(x, flag, y);
  if (consumer_first) produces<releases><<<1, kCount, 0, on.a>>>(x, flag);
  return cudaDeviceSynchronize() == cudaSuccess && y.is([](int i) { return i; });
}
bool sound_producer_first() {
  return passes_data<true, true, false>();
}
bool sound_consumer_first() {
  return passes_data<true, true, true>();
}
bool relaxed_store() {
  return passes_data<false, true, false>();
}
bool relaxed_store_consumer_first() {
  return passes_data<false, true, true>();
}
bool relaxed_load_consumer_first() {
  return passes_data<true, false, true>();
}

// By way of a third kernel, in any order of launch.
bool relay(const char* order) {
  Array<int> x(kCount), flags(2), y(kCount);
  Streams on, more;
  cudaDeviceSynchronize();
  for (; *order != 0; ++order) {
    if (*order == 'p') produces<true><<<1, kCount, 0, on.a>>>(x, flags);
    if (*order == 'r') relays<<<1, 1, 0, on.b>>>(flags, flags + 1);
    if (*order == 'c') consumes<true><<<1, kCount, 0, more.a>>>(x, flags + 1, y);
  }
  return cudaDeviceSynchronize() == cudaSuccess && y.is([](int i) { return i; });
}
bool sound_relay_in_order() {
  return relay("prc");
}
bool sound_relay_backwards() {
  return relay("crp");
}
bool sound_relay_from_the_middle() {
  return relay("rpc") && relay("rcp") && relay("cpr");
}

/// Memory of both sides that starts as zeros, with pages of its own.
struct Pinned {
  explicit Pinned(int count = kCount) {
    cudaHostAlloc(&data, count * sizeof(int), cudaHostAllocMapped);
    std::memset(data, 0, count * sizeof(int));
  }
  ~Pinned() {
    cudaDeviceSynchronize();
    cudaFreeHost(data);
  }
  operator int*() const { return data; }
  volatile int& flag() const { return *data; }
  int* data = nullptr;
};

enum class Fence { of_system, of_device, none };

template <Fence fence>
__global__ void tells(int* x, volatile int* flag) {
  x[threadIdx.x] = threadIdx.x;  //! told
  if (fence == Fence::of_system) __threadfence_system();
  if (fence == Fence::of_device) __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) *flag = 1;
}
volatile int kept;

template <Fence fence, bool waits>
bool host_is_told() {
  Pinned x, flag;
  tells<fence><<<1, kCount>>>(x, flag);
  while (flag.flag() == 0) {
  }
  if (waits) cudaDeviceSynchronize();
  kept = x[5];
  return cudaDeviceSynchronize() == cudaSuccess && kept == 5;
}
bool sound_kernel_tells_host() {
  return host_is_told<Fence::of_system, false>();
}
bool sound_flag_says_how_far_it_is() {
  return host_is_told<Fence::none, true>();
}
bool host_told_without_fence() {
  return host_is_told<Fence::none, false>();
}
bool host_told_with_fence_of_device() {
  return host_is_told<Fence::of_device, false>();
}

// What an earlier kernel of the stream has written, the flag tells the host of without a fence.
__global__ void fills(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
bool sound_next_kernel_tells_host() {
  Pinned x, other, flag;
  fills<<<1, kCount>>>(x);
  tells<Fence::none><<<1, kCount>>>(other, flag);
  while (flag.flag() == 0) {
  }
  kept = x[5];
  return cudaDeviceSynchronize() == cudaSuccess && kept == 5;
}

// So does one that then waits for the host's answer.
__global__ void tells_and_waits(int* x, volatile int* flag, volatile int* answer) {
  x[0] = 1;
  *flag = 1;
  while (*answer == 0) {
  }
}
bool sound_waiting_kernel_tells_host() {
  Pinned x, other, flag, answer;
  fills<<<1, kCount>>>(x);
  tells_and_waits<<<1, 1>>>(other, flag, answer);
  while (flag.flag() == 0) {
  }
  kept = x[5];
  answer.flag() = 1;
  return cudaDeviceSynchronize() == cudaSuccess && kept == 5 && other[0] == 1;
}

// One word of page-locked memory that has more of them.
template <bool waits>
bool word_is_brought() {
  Pinned out;
  Array<int> x(kCount);
  cudaMemset(x, 1, kCount * sizeof(int));
  Streams on;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, x, sizeof(int), cudaMemcpyDeviceToHost, on.a);
  out[5] = 3;  // another word
  if (waits) cudaStreamSynchronize(on.a);
  return out.flag() == 0x01010101;
}
bool sound_word_is_waited_for() {
  return word_is_brought<true>();
}
bool word_is_read_too_early() {
  Pinned out;
  Array<int> x(kCount);
  Streams on;
  cudaDeviceSynchronize();
  cudaMemcpyAsync(out, x, sizeof(int), cudaMemcpyDeviceToHost, on.a);
  kept = out[0];
  return cudaStreamSynchronize(on.a) == cudaSuccess;
}

const Case cases[] = {
    CASE(sound_producer_first),
    CASE(sound_consumer_first),
    CASE(sound_relay_in_order),
    CASE(sound_relay_backwards),
    CASE(sound_relay_from_the_middle),
    CASE(sound_kernel_tells_host),
    CASE(sound_flag_says_how_far_it_is),
    CASE(sound_next_kernel_tells_host),
    CASE(sound_waiting_kernel_tells_host),
    CASE(sound_word_is_waited_for),
    CASE(relaxed_store),
    CASE(relaxed_store_consumer_first),
    CASE(relaxed_load_consumer_first),
    CASE(host_told_without_fence),
    CASE(host_told_with_fence_of_device),
    CASE(word_is_read_too_early),
};

}  // namespace

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Kernels that wait for somebody else: for the host, for a copy or a kernel of another stream, for another thread of the host. Legal
/// as long as whoever is waited for can act; else nobody ever goes on.
#include <atomic>
#include <chrono>
#include <thread>

#include "order.hpp"

namespace {

constexpr int kCount = 256;

/// Waits until @p flag is @p value, and then for what came before that.
__device__ void wait_for(const int* flag, int value) {
  while (*static_cast<const volatile int*>(flag) != value) {  //! waits
  }
  __threadfence_system();
}
__device__ void raise(int* flag, int value) {
  __threadfence_system();
  *static_cast<volatile int*>(flag) = value;
}

__global__ void waits(const int* flag, int* y) {
  if (threadIdx.x == 0) wait_for(flag, 1);
  __syncthreads();
  y[threadIdx.x] = threadIdx.x + 1;
}
/// As above, and then reads what was written before the flag was raised.
__global__ void consumes(const int* flag, const int* x, int* y) {
  if (threadIdx.x == 0) wait_for(flag, 1);
  __syncthreads();
  y[threadIdx.x] = x[threadIdx.x] + 1;
}
__global__ void produces(int* flag, int* x) {
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) raise(flag, 1);
}
__global__ void raises(int* flag) {
  raise(flag, 1);
}
/// Reads the flag once, as compilers read what is neither volatile nor atomic; waits for ever if it is not up by then.
__global__ void looks_once(const int* flag, int* y) {
  if (threadIdx.x == 0)
    while (*flag == 0) {  //! looks_once
    }
  __syncthreads();
  y[threadIdx.x] = threadIdx.x + 1;
}
__global__ void takes_it(int* flag, int* y) {
  if (threadIdx.x == 0)
    while (atomicCAS(flag, 1, 2) != 1) {
    }
  __syncthreads();
  y[threadIdx.x] = threadIdx.x + 1;
}
__global__ void numbers(int* y) {
  y[threadIdx.x] = threadIdx.x + 1;
}
/// The ball goes to and fro: mine is the number that it has when it is here.
__global__ void plays(int* ball, int mine, int rounds, int* seen) {
  for (int round = 0; round < rounds; ++round) {
    wait_for(ball, 2 * round + mine);
    *seen += 1;
    raise(ball, 2 * round + mine + 1);
  }
}
/// Raises its own flag once it has seen the other's.
__global__ void follows(const int* other, int* own) {
  wait_for(other, 1);
  raise(own, 1);
}
__global__ void gives_up(const int* flag, long long cycles, int* y) {
  const long long begin = clock64();
  while (*static_cast<const volatile int*>(flag) == 0)
    if (clock64() - begin > cycles) {
      *y = -1;
      return;
    }
  *y = 1;
}
/// Answers questions until one is negative.
__global__ void works(const int* question, const int* number, int* answer, int* answered) {
  for (int n = 1;; ++n) {
    wait_for(number, n);
    const int asked = *static_cast<const volatile int*>(question);
    if (asked < 0) return;
    *static_cast<volatile int*>(answer) = asked * asked;
    raise(answered, n);
  }
}
/// Takes all the room that there is.
__global__ void fills_the_device(const int* flag) {
  extern __shared__ int much[];
  much[threadIdx.x] = 1;
  if (threadIdx.x == 0) wait_for(flag, 1);
  __syncthreads();
}

/// Page-locked memory of both sides that starts as zeros.
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

bool numbered(const Array<int>& y) {
  return y.is([](int i) { return i + 1; });
}

// --------------------------------------------------------------------------------------------------- the host releases it

bool sound_host_raises_mapped_flag() {
  Pinned flag;
  Array<int> y(kCount);
  waits<<<1, kCount>>>(flag, y);
  flag.flag() = 1;
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_host_raises_managed_flag() {
  int* flag = nullptr;
  cudaMallocManaged(&flag, sizeof(int));
  *flag = 0;
  Array<int> y(kCount);
  waits<<<1, kCount>>>(flag, y);
  *static_cast<volatile int*>(flag) = 1;
  const bool right = cudaDeviceSynchronize() == cudaSuccess && numbered(y);
  cudaFree(flag);
  return right;
}

bool sound_host_writes_data_and_flag() {
  Pinned flag, x;
  Array<int> y(kCount);
  consumes<<<1, kCount>>>(flag, x, y);
  for (int i = 0; i < kCount; ++i) x[i] = i;
  __sync_synchronize();
  flag.flag() = 1;
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_stream_is_asked() {
  Pinned flag;
  Array<int> y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaEventRecord(on.event, on.a);
  for (int i = 0; i < 100; ++i)
    if (cudaStreamQuery(on.a) != cudaErrorNotReady || cudaEventQuery(on.event) != cudaErrorNotReady)
      return false;
  flag.flag() = 1;
  while (cudaStreamQuery(on.a) == cudaErrorNotReady) {
  }
  while (cudaEventQuery(on.event) == cudaErrorNotReady) {
  }
  return numbered(y);
}

bool sound_mailbox() {
  Pinned mail(4);
  int *question = mail, *number = mail + 1, *answer = mail + 2, *answered = mail + 3;
  works<<<1, 1>>>(question, number, answer, answered);
  bool right = true;
  for (int n = 1; n <= 5; ++n) {
    *static_cast<volatile int*>(question) = n + 10;
    __sync_synchronize();
    *static_cast<volatile int*>(number) = n;
    while (*static_cast<volatile int*>(answered) != n) {  // and no call of the API
    }
    right &= *static_cast<volatile int*>(answer) == (n + 10) * (n + 10);
  }
  *static_cast<volatile int*>(question) = -1;
  *static_cast<volatile int*>(number) = 6;
  return cudaDeviceSynchronize() == cudaSuccess && right;
}

bool sound_other_host_thread() {
  Pinned flag;
  Array<int> y(kCount);
  waits<<<1, kCount>>>(flag, y);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    flag.flag() = 1;
  });
  const bool right = cudaDeviceSynchronize() == cudaSuccess && numbered(y);
  other.join();
  return right;
}

bool sound_other_host_thread_calls() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    raises<<<1, 1, 0, on.b>>>(flag);
  });
  const bool right = cudaStreamSynchronize(on.a) == cudaSuccess;
  other.join();
  return right && numbered(y);
}

// ----------------------------------------------------------------------------------------------- another stream releases it

bool sound_copy_raises_flag() {
  Pinned one;
  one.flag() = 1;
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemcpyAsync(flag, one, sizeof(int), cudaMemcpyHostToDevice, on.b);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_copy_brings_data_and_flag() {
  Pinned one, x;
  one.flag() = 1;
  for (int i = 0; i < kCount; ++i) x[i] = i;
  Array<int> flag(1), there(kCount), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  consumes<<<1, kCount, 0, on.a>>>(flag, there, y);
  cudaMemcpyAsync(there, x, kCount * sizeof(int), cudaMemcpyHostToDevice, on.b);
  cudaMemcpyAsync(flag, one, sizeof(int), cudaMemcpyHostToDevice, on.b);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_set_raises_flag() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  takes_it<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemset2DAsync(flag, 4, 1, 1, 1, on.b);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_default_stream_beside_a_non_blocking_one() {
  const int one = 1;
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemcpy(flag, &one, sizeof(int), cudaMemcpyHostToDevice);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool produce_and_consume(bool producer_first) {
  Array<int> flag(1), x(kCount), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  if (producer_first) produces<<<1, kCount, 0, on.a>>>(flag, x);
  consumes<<<1, kCount, 0, on.b>>>(flag, x, y);
  if (!producer_first) produces<<<1, kCount, 0, on.a>>>(flag, x);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}
bool sound_producer_first() {
  return produce_and_consume(true);
}
bool sound_consumer_first() {
  return produce_and_consume(false);
}

bool sound_ping_pong() {
  constexpr int kRounds = 50;
  Array<int> ball(1), seen(2);
  Streams on;
  cudaDeviceSynchronize();
  plays<<<1, 1, 0, on.a>>>(ball, 0, kRounds, seen);
  plays<<<1, 1, 0, on.b>>>(ball, 1, kRounds, seen + 1);
  return cudaDeviceSynchronize() == cudaSuccess && seen.is([](int) { return kRounds; });
}

bool sound_host_function_releases() {
  Pinned flag;
  Array<int> y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaLaunchHostFunc(
      on.b, [](void* p) { *static_cast<volatile int*>(p) = 1; }, flag.data);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool sound_graph_releases() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(on.b, cudaStreamCaptureModeGlobal);
  raises<<<1, 1, 0, on.b>>>(flag);
  cudaStreamEndCapture(on.b, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaGraphLaunch(instance, on.b);
  const bool right = cudaDeviceSynchronize() == cudaSuccess && numbered(y);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return right;
}

// --------------------------------------------------------------------------------------------------- what comes behind it

bool sound_event_behind_it() {
  Pinned flag;
  Array<int> x(kCount), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, x);
  cudaEventRecord(on.event, on.a);
  cudaStreamWaitEvent(on.b, on.event, 0);
  cudaMemcpyAsync(y, x, kCount * sizeof(int), cudaMemcpyDeviceToDevice, on.b);
  flag.flag() = 1;
  return cudaStreamSynchronize(on.b) == cudaSuccess && numbered(y);
}

bool sound_copies_behind_it() {
  Pinned flag, out;
  std::vector<int> in(kCount);
  for (int i = 0; i < kCount; ++i) in[i] = i + 1;
  Array<int> x(kCount), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemcpyAsync(x, in.data(), kCount * sizeof(int), cudaMemcpyHostToDevice, on.a);
  for (int& each : in) each = 0;  // pageable memory was staged
  cudaMemcpyAsync(out, x, kCount * sizeof(int), cudaMemcpyDeviceToHost, on.a);
  flag.flag() = 1;
  cudaStreamSynchronize(on.a);
  for (int i = 0; i < kCount; ++i)
    if (out[i] != i + 1) return false;
  return numbered(x);
}

bool sound_host_function_behind_it() {
  Pinned flag;
  static volatile int called;
  called = 0;
  Array<int> y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaLaunchHostFunc(
      on.a, [](void*) { called = called + 1; }, nullptr);
  const bool early = called != 0;
  flag.flag() = 1;
  return cudaStreamSynchronize(on.a) == cudaSuccess && !early && called == 1;
}

bool sound_memory_behind_it() {
  Pinned flag;
  Streams on;
  int* y = nullptr;
  cudaMallocAsync(&y, kCount * sizeof(int), on.a);
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaFreeAsync(y, on.a);
  cudaMallocAsync(&y, kCount * sizeof(int), on.a);
  numbers<<<1, kCount, 0, on.a>>>(y);
  cudaFreeAsync(y, on.a);
  flag.flag() = 1;
  return cudaStreamSynchronize(on.a) == cudaSuccess;
}

bool sound_graph_behind_it() {
  Pinned flag;
  Array<int> x(kCount), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(on.a, cudaStreamCaptureModeGlobal);
  cudaMemcpyAsync(y, x, kCount * sizeof(int), cudaMemcpyDeviceToDevice, on.a);
  cudaStreamEndCapture(on.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  waits<<<1, kCount, 0, on.a>>>(flag, x);
  cudaGraphLaunch(instance, on.a);
  flag.flag() = 1;
  const bool right = cudaDeviceSynchronize() == cudaSuccess && numbered(y);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return right;
}

bool sound_stream_destroyed_meanwhile() {
  Pinned flag;
  Array<int> y(kCount);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  waits<<<1, kCount, 0, stream>>>(flag, y);
  cudaStreamDestroy(stream);
  flag.flag() = 1;
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

// ------------------------------------------------------------------------------------------------------------- time passes

bool sound_gives_up_in_the_end() {
  Array<int> flag(1), y(1);
  gives_up<<<1, 1>>>(flag, 100'000'000, y);
  return cudaDeviceSynchronize() == cudaSuccess && y.is([](int) { return -1; });
}

bool sound_gives_up_while_asked() {
  Array<int> flag(1), y(1);
  Streams on;
  cudaDeviceSynchronize();
  gives_up<<<1, 1, 0, on.a>>>(flag, 2'000'000, y);
  while (cudaStreamQuery(on.a) == cudaErrorNotReady) {
  }
  return y.is([](int) { return -1; });
}

// ------------------------------------------------------------------------------------------------- a flag that is not volatile

bool sound_plain_flag_raised_before() {
  Pinned flag;
  Array<int> y(kCount);
  flag.flag() = 1;
  looks_once<<<1, kCount>>>(flag, y);
  return cudaDeviceSynchronize() == cudaSuccess && numbered(y);
}

bool plain_flag_raised_by_the_host() {
  Pinned flag;
  Array<int> y(kCount);
  looks_once<<<1, kCount>>>(flag, y);
  flag.flag() = 1;
  return cudaDeviceSynchronize() == cudaSuccess;
}

/// The other kernel could still act, and the one that looks would not see it.
bool plain_flag_raised_by_another_stream() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  looks_once<<<1, kCount, 0, on.a>>>(flag, y);
  raises<<<1, 1, 0, on.b>>>(flag);
  return cudaDeviceSynchronize() == cudaSuccess;
}

// --------------------------------------------------------------------------------------------------- nobody can act any more

bool host_waits_first() {
  Pinned flag;
  Array<int> y(kCount);
  waits<<<1, kCount>>>(flag, y);
  cudaDeviceSynchronize();
  flag.flag() = 1;
  return true;
}

bool host_waits_for_the_event_first() {
  Pinned flag;
  Array<int> y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaEventRecord(on.event, on.a);
  cudaEventSynchronize(on.event);
  flag.flag() = 1;
  return true;
}

bool released_by_the_same_stream() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemsetAsync(flag, 1, 1, on.a);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool released_by_the_default_stream() {
  Array<int> flag(1), y(kCount);
  Streams on(cudaStreamDefault);
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  raises<<<1, 1>>>(flag);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool released_by_a_blocking_copy() {
  const int one = 1;
  Array<int> flag(1), y(kCount);
  Streams on(cudaStreamDefault);
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaMemcpy(flag, &one, sizeof(int), cudaMemcpyHostToDevice);
  return true;
}

bool no_place_beside_it() {
  Array<int> flag(1);
  Streams on;
  cudaDeviceSynchronize();
  int sms = 0, shared = 0;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  cudaFuncSetAttribute(fills_the_device, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  fills_the_device<<<sms, 32, shared, on.a>>>(flag);
  fills_the_device<<<sms, 32, 1024, on.b>>>(flag);
  cudaMemsetAsync(flag, 1, 1, on.b);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool event_behind_what_waits() {
  Array<int> flag(1), y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaEventRecord(on.event, on.a);
  cudaStreamWaitEvent(on.b, on.event, 0);
  raises<<<1, 1, 0, on.b>>>(flag);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool two_wait_for_each_other() {
  Array<int> flags(2);
  Streams on;
  cudaDeviceSynchronize();
  follows<<<1, 1, 0, on.a>>>(flags, flags + 1);
  follows<<<1, 1, 0, on.b>>>(flags + 1, flags);
  return cudaDeviceSynchronize() == cudaSuccess;
}

bool memory_is_freed_first() {
  Pinned flag;
  Array<int> y(kCount);
  int* other = nullptr;
  cudaMalloc(&other, sizeof(int));
  waits<<<1, kCount>>>(flag, y);
  cudaFree(other);  // waits for the device
  flag.flag() = 1;
  return true;
}

bool other_thread_sleeps() {
  Pinned flag;
  Array<int> y(kCount);
  waits<<<1, kCount>>>(flag, y);
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  });
  cudaDeviceSynchronize();
  over = true;
  other.join();
  return true;
}

/// On hardware this one is sound.
bool node_of_a_graph() {
  Pinned flag;
  Array<int> y(kCount);
  Streams on;
  cudaDeviceSynchronize();
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(on.a, cudaStreamCaptureModeGlobal);
  waits<<<1, kCount, 0, on.a>>>(flag, y);
  cudaStreamEndCapture(on.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, on.a);
  flag.flag() = 1;
  cudaDeviceSynchronize();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  static const Case cases[] = {CASE(sound_host_raises_mapped_flag),
                               CASE(sound_host_raises_managed_flag),
                               CASE(sound_host_writes_data_and_flag),
                               CASE(sound_stream_is_asked),
                               CASE(sound_mailbox),
                               CASE(sound_other_host_thread),
                               CASE(sound_other_host_thread_calls),
                               CASE(sound_copy_raises_flag),
                               CASE(sound_copy_brings_data_and_flag),
                               CASE(sound_set_raises_flag),
                               CASE(sound_default_stream_beside_a_non_blocking_one),
                               CASE(sound_producer_first),
                               CASE(sound_consumer_first),
                               CASE(sound_ping_pong),
                               CASE(sound_host_function_releases),
                               CASE(sound_graph_releases),
                               CASE(sound_event_behind_it),
                               CASE(sound_copies_behind_it),
                               CASE(sound_host_function_behind_it),
                               CASE(sound_memory_behind_it),
                               CASE(sound_graph_behind_it),
                               CASE(sound_stream_destroyed_meanwhile),
                               CASE(sound_plain_flag_raised_before),
                               CASE(sound_gives_up_in_the_end),
                               CASE(sound_gives_up_while_asked),
                               CASE(plain_flag_raised_by_the_host),
                               CASE(plain_flag_raised_by_another_stream),
                               CASE(host_waits_first),
                               CASE(host_waits_for_the_event_first),
                               CASE(released_by_the_same_stream),
                               CASE(released_by_the_default_stream),
                               CASE(released_by_a_blocking_copy),
                               CASE(no_place_beside_it),
                               CASE(event_behind_what_waits),
                               CASE(two_wait_for_each_other),
                               CASE(memory_is_freed_first),
                               CASE(other_thread_sleeps),
                               CASE(node_of_a_graph)};
  return run_cases(cases, argc, argv);
}

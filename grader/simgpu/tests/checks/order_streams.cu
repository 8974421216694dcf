/// @file
/// What orders the work of different streams: events, the host's waits, the default stream, the edges of graphs. What nothing
/// orders is a race, even if this simulator happened to run it in the right order.
#include <cstdlib>

#include "order.hpp"

constexpr int kCount = 1 << 12;
constexpr int kBytes = kCount * sizeof(int);

__global__ void number(int* y, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i + offset;  //~ numbered
}
__global__ void twice(const int* x, int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];  //! numbered
}
__global__ void every_other(int* y, int first) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + first;
  y[i] = i;  //! overlapping
}
__global__ void bytes(unsigned char* y, int first, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[first + i] = static_cast<unsigned char>(first + i);  //! byte
}
__global__ void count_up(int* counter) {
  atomicAdd(counter, 1);  //~ counter
}
__global__ void look(const int* counter, int* y) {
  y[threadIdx.x] = *counter;  //! counter
}
__constant__ int table[32];
__global__ void looked_up(int* y) {
  y[threadIdx.x] = table[threadIdx.x];  //! table
}

template <typename... Arguments, typename... Given>
void on(cudaStream_t stream, void (*kernel)(Arguments...), Given... given) {
  kernel<<<kCount / 256, 256, 0, stream>>>(given...);
}

/// Page-locked host memory that goes with the object.
struct Pinned {
  explicit Pinned(int first = 0) {
    cudaMallocHost(&data, kBytes);
    for (int i = 0; i < kCount; ++i) data[i] = first + i;
  }
  ~Pinned() { cudaFreeHost(data); }
  bool is(int factor, int offset) const {
    for (int i = 0; i < kCount; ++i)
      if (data[i] != factor * (i + offset)) return false;
    return true;
  }
  int* data;
};

// Up, work, down: each on a stream of its own.
enum class Way {
  sound,
  no_event,
  recorded_too_early,
  recorded_on_the_wrong_stream,
  host_waits_for_the_wrong_one
};

template <Way way>
bool two_kernels() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();  // cudaMemset does not wait
  Streams s;
  if (way == Way::recorded_too_early) cudaEventRecord(s.event, s.a);
  on(s.a, number, static_cast<int*>(x), 1);
  if (way == Way::sound) cudaEventRecord(s.event, s.a);
  if (way == Way::recorded_on_the_wrong_stream) cudaEventRecord(s.event, s.b);
  if (way != Way::no_event && way != Way::host_waits_for_the_wrong_one) cudaStreamWaitEvent(s.b, s.event, 0);
  if (way == Way::host_waits_for_the_wrong_one) cudaStreamSynchronize(s.b);
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaStreamSynchronize(s.b);
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_event_between() {
  return two_kernels<Way::sound>();
}
bool nothing_between() {
  return two_kernels<Way::no_event>();
}
bool event_too_early() {
  return two_kernels<Way::recorded_too_early>();
}
bool event_on_the_wrong_stream() {
  return two_kernels<Way::recorded_on_the_wrong_stream>();
}
bool host_waits_for_the_wrong_stream() {
  return two_kernels<Way::host_waits_for_the_wrong_one>();
}

// An event that stands for the first round only.
template <bool sound>
bool second_round() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  for (int round = 0; round < 2; ++round) {
    on(s.a, number, static_cast<int*>(x), round);
    if (round == 0 || sound) cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
    on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
    cudaStreamSynchronize(s.b);
  }
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_event_each_round() {
  return second_round<true>();
}
bool event_of_the_first_round() {
  return second_round<false>();
}

// The host waits, in each of its ways.
template <typename Wait>
bool host_between(Wait wait) {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, number, static_cast<int*>(x), 1);
  wait(s);
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaStreamSynchronize(s.b);
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_stream_waited_for() {
  return host_between([](Streams& s) { cudaStreamSynchronize(s.a); });
}
bool sound_device_waited_for() {
  return host_between([](Streams&) { cudaDeviceSynchronize(); });
}
bool sound_event_waited_for() {
  return host_between([](Streams& s) {
    cudaEventRecord(s.event, s.a);
    cudaEventSynchronize(s.event);
  });
}
bool sound_event_asked() {
  return host_between([](Streams& s) {
    cudaEventRecord(s.event, s.a);
    while (cudaEventQuery(s.event) == cudaErrorNotReady) {
    }
  });
}
bool sound_stream_asked() {
  return host_between([](Streams& s) {
    while (cudaStreamQuery(s.a) == cudaErrorNotReady) {
    }
  });
}
bool sound_order_passed_on() {
  return host_between([](Streams& s) {
    cudaStream_t third;
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(third, s.event, 0);
    cudaEventRecord(s.event, third);
    cudaStreamWaitEvent(s.b, s.event, 0);
    cudaStreamDestroy(third);
  });
}
bool sound_host_function() {
  return host_between([](Streams& s) {
    static volatile bool done;
    done = false;
    cudaLaunchHostFunc(
        s.a, [](void*) { done = true; }, nullptr);
    while (!done) {
    }
  });
}
bool asked_once() {
  return host_between([](Streams& s) { cudaStreamQuery(s.a); });
}

// The default stream: it waits for streams that block, and they for it; non-blocking ones do neither.
template <unsigned flags>
bool default_stream_between() {
  Array<int> x(kCount), y(kCount), z(kCount);
  cudaDeviceSynchronize();
  Streams s(flags);
  on(s.a, number, static_cast<int*>(x), 1);
  on(nullptr, twice, static_cast<const int*>(x), static_cast<int*>(y));
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(z));
  cudaDeviceSynchronize();
  return y.is([](int i) { return 2 * (i + 1); }) && z.is([](int i) { return 2 * (i + 1); });
}
bool sound_default_stream_between_blocking_ones() {
  return default_stream_between<cudaStreamDefault>();
}
bool default_stream_and_a_non_blocking_one() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, number, static_cast<int*>(x), 1);
  on(nullptr, twice, static_cast<const int*>(x), static_cast<int*>(y));
  return true;
}
// cudaMemset returns before the memory is set, and works in the default stream.
template <bool sound>
bool set_and_used() {
  Streams s;
  int* x;
  cudaMalloc(&x, kBytes);
  Array<int> y(kCount);
  cudaDeviceSynchronize();
  cudaMemset(x, 0, kBytes);
  if (sound) cudaStreamSynchronize(nullptr);
  on(s.a, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaDeviceSynchronize();
  cudaFree(x);
  return y.is([](int) { return 0; });
}
bool sound_set_and_waited_for() {
  return set_and_used<true>();
}
bool set_and_not_waited_for() {
  return set_and_used<false>();
}

// Copies.
template <bool sound>
bool copied_up() {
  Pinned in(5);
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaMemcpyAsync(x, in.data, kBytes, cudaMemcpyHostToDevice, s.a);
  if (sound) {
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
  }
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaDeviceSynchronize();
  return y.is([](int i) { return 2 * (i + 5); });
}
bool sound_copy_before_kernel() {
  return copied_up<true>();
}
bool copy_beside_kernel() {
  return copied_up<false>();
}
template <bool sound>
bool copied_down() {
  Pinned out;
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, number, static_cast<int*>(x), 3);
  if (sound) {
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
  }
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost, s.b);
  cudaDeviceSynchronize();
  return out.is(1, 3);
}
bool sound_kernel_before_copy() {
  return copied_down<true>();
}
bool kernel_beside_copy() {
  return copied_down<false>();
}
// One page-locked buffer on the way of two copies.
template <bool sound>
bool through_one_buffer() {
  Pinned in(7), out;
  Array<int> x(kCount), y(kCount);
  cudaMemcpy(x, in.data, kBytes, cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
  Streams s;
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost, s.a);
  if (sound) {
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
  }
  cudaMemcpyAsync(y, out.data, kBytes, cudaMemcpyHostToDevice, s.b);
  cudaDeviceSynchronize();
  return y.is([](int i) { return i + 7; });
}
bool sound_copies_through_one_buffer() {
  return through_one_buffer<true>();
}
bool copies_meet_in_one_buffer() {
  return through_one_buffer<false>();
}
// A copy within one array: what it reads it must not write. On an H200, 16 MB that were shifted by one number, down or up, came with 43 to 238
// wrong ones; small arrays came right. Columns side by side share no byte, though their rows do.
template <int shift>
bool copied_within() {
  Array<int> x(kCount);
  on(nullptr, number, static_cast<int*>(x), 0);
  cudaMemcpy(x + shift, x, kBytes / 2, cudaMemcpyDeviceToDevice);
  return x.is([](int i) { return i < shift ? i : i - shift; });
}
bool sound_second_half_from_the_first() {
  return copied_within<kCount / 2>();
}
bool shifted_by_one() {
  return copied_within<1>();
}
bool sound_columns_from_their_neighbours() {
  Array<int> x(kCount);
  on(nullptr, number, static_cast<int*>(x), 0);
  cudaMemcpy2D(x + 32, 256, x, 256, 128, kCount / 64, cudaMemcpyDeviceToDevice);
  return x.is([](int i) { return i % 64 < 32 ? i : i - 32; });
}
// A plain copy from ordinary memory returns when the driver has a copy of the bytes. Only what waits for the default stream finds them in
// the device's memory. On an H200 a kernel of a non-blocking stream came too early for the last 112 KB of 4 MB.
template <bool sound>
bool ordinary_copies() {
  std::vector<int> in(kCount, 4), out(kCount);
  Array<int> x(kCount), y(kCount);
  Streams s;
  cudaDeviceSynchronize();
  cudaMemcpy(x, in.data(), kBytes, cudaMemcpyHostToDevice);
  if (sound) cudaStreamSynchronize(nullptr);
  on(s.a, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaStreamSynchronize(s.a);
  cudaMemcpy(out.data(), y, kBytes, cudaMemcpyDeviceToHost);
  on(s.b, number, static_cast<int*>(y), 0);
  return out[kCount - 1] == 8;
}
bool sound_ordinary_copies() {
  return ordinary_copies<true>();
}
bool ordinary_copy_overtaken() {
  return ordinary_copies<false>();
}
bool sound_page_locked_copy() {
  Pinned in;
  Array<int> x(kCount), y(kCount);
  Streams s;
  cudaDeviceSynchronize();
  cudaMemcpy(x, in.data, kBytes, cudaMemcpyHostToDevice);
  on(s.a, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaStreamSynchronize(s.a);
  return y.is([](int i) { return 2 * i; });
}
// What an asynchronous copy brings is not there before the host has waited; what it takes must stay until then.
template <bool sound>
bool read_down() {
  Pinned out(-1);
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, number, static_cast<int*>(x), 3);
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost, s.a);
  if (sound) cudaStreamSynchronize(s.a);
  std::printf("call %d\n", out.data[0] & 0xFF);
  const bool right = out.is(1, 3);
  cudaStreamSynchronize(s.a);
  return right && out.is(1, 3);
}
bool sound_read_after_waiting() {
  return read_down<true>();
}
bool read_before_waiting() {
  return read_down<false>();
}
// The program's own memory, once it is registered. What is registered begins and ends within a page: such pages stay open.
struct Registered {
  static constexpr int kFirst = kCount / 2 + 8;  // within data
  Registered() : data(static_cast<int*>(std::aligned_alloc(4096, 4 * kBytes))) {
    std::memset(data, 0, 4 * kBytes);
    cudaHostRegister(begin(), 2 * kBytes, cudaHostRegisterDefault);
  }
  ~Registered() {
    cudaHostUnregister(begin());
    std::free(data);
  }
  int* begin() const { return data + kFirst; }
  int* data;
};
template <bool sound>
bool registered_read_down() {
  Registered out;
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, number, static_cast<int*>(x), 3);
  cudaMemcpyAsync(out.begin(), x, kBytes, cudaMemcpyDeviceToHost, s.a);
  out.begin()[-1] = 1;  // a neighbour
  if (sound) cudaStreamSynchronize(s.a);
  std::printf("call %d\n", out.begin()[2000] & 0xFF);
  cudaStreamSynchronize(s.a);
  return out.begin()[2001] == 2004 && out.begin()[-1] == 1;
}
bool sound_registered_read_after_waiting() {
  return registered_read_down<true>();
}
bool registered_read_before_waiting() {
  return registered_read_down<false>();
}
__global__ void number_and_tell(int* y, volatile int* told) {
  y[threadIdx.x] = threadIdx.x + 3;
  __threadfence_system();
  __syncthreads();
  if (threadIdx.x == 0) *told = 1;
}
/// What a kernel writes there, and a flag that says so.
template <bool sound>
bool registered_written() {
  Registered both;
  const volatile int* const told = both.begin() + kCount;
  if (sound)
    number_and_tell<<<1, 1024>>>(both.begin() + 1024, both.begin() + kCount);
  else
    on(nullptr, number, both.begin(), -1021);
  while (sound && *told == 0) {
  }
  const bool right = both.begin()[2047] == 1026;
  cudaDeviceSynchronize();
  return right;
}
bool sound_registered_flag() {
  return registered_written<true>();
}
bool registered_read_beside_a_kernel() {
  return registered_written<false>();
}
template <bool sound>
bool reused_source() {
  Pinned in(0);
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  for (int round = 0; round < 3; ++round) {
    if (sound) cudaStreamSynchronize(s.a);
    in.data[kCount - 1] = round;
    cudaMemcpyAsync(x, in.data, kBytes, cudaMemcpyHostToDevice, s.a);
    on(s.a, twice, static_cast<const int*>(x), static_cast<int*>(y));
  }
  cudaStreamSynchronize(s.a);
  return y.is([](int i) { return i == kCount - 1 ? 4 : 2 * i; });
}
bool sound_source_reused_after_waiting() {
  return reused_source<true>();
}
bool source_reused_too_early() {
  return reused_source<false>();
}
// Memory that host and device have in common: the host has to wait before it reads what a kernel writes, or writes what it reads.
template <typename Early, typename Late>
bool in_common(Early early, Late late, bool pinned = false) {
  int *x, *y;
  for (int** p : {&x, &y}) {
    if (pinned) {
      cudaMallocHost(p, kBytes);
    } else {
      cudaMallocManaged(p, kBytes);
    }
    for (int i = 0; i < kCount; ++i) (*p)[i] = i;
  }
  on(nullptr, twice, static_cast<const int*>(x), y);
  early(x, y);
  cudaDeviceSynchronize();
  late(x, y);
  const bool right = y[7] == 14 || y[7] == 70;
  if (pinned) {
    cudaFreeHost(x);
    cudaFreeHost(y);
  } else {
    cudaFree(x);
    cudaFree(y);
  }
  return right;
}
void nothing(int*, int*) {}
volatile int kept;
void read_result(int*, int* y) {
  kept = y[7];
}
void read_input(int* x, int*) {
  kept = x[7];
}
void write_input(int* x, int*) {
  x[7] = 35;
}
bool sound_managed_after_waiting() {
  return in_common(nothing, [](int* x, int* y) { read_result(x, y), write_input(x, y), y[7] = 70; });
}
bool sound_managed_input_read() {
  return in_common(read_input, nothing);
}
bool managed_read_before_waiting() {
  return in_common(read_result, nothing);
}
bool managed_written_before_waiting() {
  return in_common(write_input, nothing);
}
bool sound_mapped_after_waiting() {
  return in_common(nothing, read_result, true);
}
bool mapped_read_before_waiting() {
  return in_common(read_result, nothing, true);
}
// Two kernels use the memory in turn; then one stream is waited for, and the other is not.
template <bool sound>
bool two_in_common() {
  int *x, *y;
  cudaMallocManaged(&x, kBytes);
  cudaMallocManaged(&y, kBytes);
  Streams s;
  for (int i = 0; i < 3; ++i) {
    on(s.a, number, x, i);
    on(s.b, number, y, i);
  }
  cudaStreamSynchronize(s.a);
  kept = sound ? x[5] : y[5];  // of the other stream
  cudaStreamSynchronize(s.b);
  const bool right = x[5] == 7 && y[5] == 7;
  cudaFree(x);
  cudaFree(y);
  return right;
}
bool sound_waited_for_its_stream() {
  return two_in_common<true>();
}
bool waited_for_the_other_stream() {
  return two_in_common<false>();
}
// What the nodes of a graph use stays in use when the graph's launch has returned.
template <bool sound, bool of_copy>
bool graph_in_common() {
  Pinned out;
  Array<int> x(kCount);
  int* y = nullptr;
  cudaMallocManaged(&y, kBytes);
  Streams s;
  cudaDeviceSynchronize();
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeRelaxed);
  on(s.a, number, y, 3);
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost, s.a);
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  for (int i = 0; i < 2; ++i) {
    cudaGraphLaunch(instance, s.a);
    if (sound || i == 0) cudaStreamSynchronize(s.a);
  }
  kept = of_copy ? out.data[5] : y[5];
  cudaStreamSynchronize(s.a);
  const bool right = y[5] == 8 && out.data[5] == 0;
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  cudaFree(y);
  return right;
}
bool sound_graph_waited_for() {
  return graph_in_common<true, false>() && graph_in_common<true, true>();
}
bool graph_kernel_not_waited_for() {
  return graph_in_common<false, false>();
}
bool graph_copy_not_waited_for() {
  return graph_in_common<false, true>();
}
// A structure in managed memory, with a hole, of which the kernel uses some members.
struct Settings {
  int rounds;
  double factor;
  int answer, notes;
};
__global__ void answers(Settings* s) {
  s->answer = s->rounds * static_cast<int>(s->factor);  //! answered
}
enum class Member { unused, answer, rounds };
template <bool sound, Member member>
bool structure() {
  Settings* s;
  cudaMallocManaged(&s, sizeof *s);
  *s = {2, 3., 0, 0};
  answers<<<1, 1>>>(s);
  if (sound) cudaDeviceSynchronize();
  if (member == Member::unused) s->notes = 1;
  if (member == Member::answer) kept = s->answer;
  if (member == Member::rounds) s->rounds = 4;
  cudaDeviceSynchronize();
  const bool right = s->answer == 6 && s->notes == (member == Member::unused);
  cudaFree(s);
  return right;
}
bool sound_other_member_of_structure() {
  return structure<false, Member::unused>();
}
bool sound_member_after_waiting() {
  return structure<true, Member::answer>() && structure<true, Member::rounds>();
}
bool member_read_before_waiting() {
  return structure<false, Member::answer>();
}
bool member_written_before_waiting() {
  return structure<false, Member::rounds>();
}
__managed__ int managed_values[kCount];
__global__ void fill_managed() {
  managed_values[blockIdx.x * blockDim.x + threadIdx.x] = 3;  //! managed_variable
}
bool managed_variable_read_too_early() {
  managed_values[0] = 1;
  fill_managed<<<kCount / 256, 256>>>();
  kept = managed_values[0];
  return cudaDeviceSynchronize() == cudaSuccess;
}
// One stream goes on with what it has brought, without the host.
bool sound_kernel_reads_what_was_brought() {
  Pinned out;
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  on(nullptr, number, static_cast<int*>(x), 3);
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost);
  on(nullptr, twice, static_cast<const int*>(out.data), static_cast<int*>(y));
  cudaMemcpyAsync(x, out.data, kBytes, cudaMemcpyHostToDevice);
  cudaMemsetAsync(out.data, 0, 4);
  cudaDeviceSynchronize();
  return y.is([](int i) { return 2 * (i + 3); }) && x.is([](int i) { return i + 3; }) && out.data[0] == 0 &&
         out.data[1] == 4;
}
// A kernel tells the host that the copy before it is done.
__global__ void tell(volatile int* flag) {
  __threadfence_system();
  *flag = 1;
}
bool sound_host_is_told() {
  Pinned in(0), flag(0);
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaMemcpyAsync(x, in.data, kBytes, cudaMemcpyHostToDevice, s.a);
  tell<<<1, 1, 0, s.a>>>(flag.data);
  while (*static_cast<volatile int*>(flag.data) != 1) {
  }
  in.data[0] = 100;
  cudaDeviceSynchronize();
  return x.is([](int i) { return i; });
}
// Constant memory is set in order of a stream, too.
template <bool sound>
bool constants() {
  Pinned in(1);
  Array<int> y(32);
  cudaDeviceSynchronize();
  Streams s;
  cudaMemcpyToSymbolAsync(table, in.data, sizeof table, 0, cudaMemcpyHostToDevice, s.a);
  if (sound) cudaStreamSynchronize(s.a);
  looked_up<<<1, 32, 0, s.b>>>(y);
  cudaDeviceSynchronize();
  return y.is([](int i) { return i + 1; });
}
bool sound_constants_waited_for() {
  return constants<true>();
}
bool constants_changed_beside_a_kernel() {
  return constants<false>();
}

// Different bytes of one array.
template <bool sound>
bool interleaved() {
  Array<int> y(2 * kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, every_other, static_cast<int*>(y), 0);
  on(s.b, every_other, static_cast<int*>(y), sound ? 1 : 0);
  cudaDeviceSynchronize();
  return y.is([](int i) { return i; });
}
bool sound_every_other_element() {
  return interleaved<true>();
}
bool the_same_elements() {
  return interleaved<false>();
}
template <int overlap>
bool neighbouring_bytes() {
  Array<unsigned char> y(2000);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, bytes, static_cast<unsigned char*>(y), 0, 1001);
  on(s.b, bytes, static_cast<unsigned char*>(y), 1001 - overlap, 999 + overlap);
  cudaDeviceSynchronize();
  return y.is([](int i) { return i; });
}
bool sound_neighbouring_bytes() {
  return neighbouring_bytes<0>();
}
bool one_byte_in_common() {
  return neighbouring_bytes<1>();
}
bool sound_two_readers() {
  Array<int> x(kCount), y(kCount), z(kCount);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, twice, static_cast<const int*>(x), static_cast<int*>(y));
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(z));
  cudaDeviceSynchronize();
  return true;
}

// Atomics of two kernels are no race with each other, but with a plain read.
bool sound_one_counter() {
  Array<int> n(1);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, count_up, static_cast<int*>(n));
  on(s.b, count_up, static_cast<int*>(n));
  cudaDeviceSynchronize();
  return n.is([](int) { return 2 * kCount; });
}
bool counter_read_too_early() {
  Array<int> n(1), y(32);
  cudaDeviceSynchronize();
  Streams s;
  on(s.a, count_up, static_cast<int*>(n));
  look<<<1, 32, 0, s.b>>>(n, y);
  return true;
}

// Memory in order of a stream.
template <bool sound>
bool pool_memory() {
  Array<int> y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  int* x;
  cudaMallocAsync(reinterpret_cast<void**>(&x), kBytes, s.a);
  on(s.a, number, x, 1);
  cudaEventRecord(s.event, s.a);
  cudaStreamWaitEvent(s.b, s.event, 0);
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  if (sound) {
    cudaEventRecord(s.event, s.b);
    cudaStreamWaitEvent(s.a, s.event, 0);
  }
  cudaFreeAsync(x, s.a);
  cudaDeviceSynchronize();
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_freed_after_use() {
  return pool_memory<true>();
}
bool freed_beside_use() {
  return pool_memory<false>();
}

// What has been captured from s.a on, as a graph, twice.
void launch_captured_twice(const Streams& s) {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(instance, s.a);
  cudaStreamSynchronize(s.a);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
}

// Memory of a graph: in use from its allocation to its free node, as the edges say.
template <bool sound>
bool graph_memory() {
  Array<int> y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaEvent_t joined;
  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  int* x;
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(reinterpret_cast<void**>(&x), kBytes, s.a);
  on(s.a, number, x, 1);
  cudaEventRecord(s.event, s.a);
  cudaStreamWaitEvent(s.b, s.event, 0);
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaEventRecord(joined, s.b);
  if (sound) cudaStreamWaitEvent(s.a, joined, 0);
  cudaFreeAsync(x, s.a);
  if (!sound) cudaStreamWaitEvent(s.a, joined, 0);
  launch_captured_twice(s);
  cudaEventDestroy(joined);
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_graph_memory_freed_after_use() {
  return graph_memory<true>();
}
bool graph_memory_freed_beside_use() {
  return graph_memory<false>();
}
// What a graph has allocated and left to the program: it is there in order of the launch's stream, and goes in order of another.
enum class Left { sound, used_too_early, freed_too_early };
template <Left way>
bool left_by_a_graph() {
  std::vector<int> y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  int* x;
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(reinterpret_cast<void**>(&x), kBytes, s.a);
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, s.a);
  cudaEventRecord(s.event, s.a);
  if (way != Left::used_too_early) cudaStreamWaitEvent(s.b, s.event, 0);
  on(s.b, number, x, 1);
  if (way != Left::freed_too_early) cudaDeviceSynchronize();
  if (way == Left::sound) cudaMemcpy(y.data(), x, kBytes, cudaMemcpyDeviceToHost);
  cudaFreeAsync(x, s.a);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return y[kCount - 1] == kCount;
}
bool sound_memory_left_by_a_graph() {
  return left_by_a_graph<Left::sound>();
}
bool memory_of_a_graph_used_too_early() {
  return left_by_a_graph<Left::used_too_early>();
}
bool memory_of_a_graph_freed_too_early() {
  return left_by_a_graph<Left::freed_too_early>();
}

// Branches of a graph, captured from two streams.
template <bool sound>
bool captured() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaEvent_t joined;
  cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  cudaEventRecord(s.event, s.a);
  if (!sound) cudaStreamWaitEvent(s.b, s.event, 0);
  on(s.a, number, static_cast<int*>(x), 1);
  if (sound) {
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
  }
  on(s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaEventRecord(joined, s.b);
  cudaStreamWaitEvent(s.a, joined, 0);
  launch_captured_twice(s);
  cudaEventDestroy(joined);
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_edge_in_a_graph() {
  return captured<true>();
}
bool no_edge_in_a_graph() {
  return captured<false>();
}
template <bool sound>
bool graph_and_stream() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  on(s.a, number, static_cast<int*>(x), 1);
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, s.a);
  on(sound ? s.a : s.b, twice, static_cast<const int*>(x), static_cast<int*>(y));
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return y.is([](int i) { return 2 * (i + 1); });
}
bool sound_graph_before_kernel() {
  return graph_and_stream<true>();
}
bool graph_beside_kernel() {
  return graph_and_stream<false>();
}
// Launches of one instance come one after the other, in whichever streams, and its last launch before what follows the next one.
__global__ void add_slowly(int* y, int steps) {
  unsigned chain = threadIdx.x;
  for (int i = 0; i < steps; ++i) chain = chain * chain + i;
  y[threadIdx.x] += chain == 0xFFFFFFFE ? 2 : 1;  //! instance
}
template <bool one_instance>
bool launched_in_two_streams() {
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t instances[2];
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  add_slowly<<<1, 32, 0, s.a>>>(x, 20000);
  cudaStreamEndCapture(s.a, &graph);
  for (cudaGraphExec_t& instance : instances) cudaGraphInstantiate(&instance, graph, 0);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin, s.a);
  cudaGraphLaunch(instances[0], s.a);
  cudaEventRecord(end, s.a);
  cudaEventSynchronize(end);
  float one = 0, both = 0;
  cudaEventElapsedTime(&one, begin, end);
  cudaEventRecord(begin, s.a);
  cudaGraphLaunch(instances[0], s.a);
  cudaGraphLaunch(instances[one_instance ? 0 : 1], s.b);
  cudaEventRecord(end, s.b);
  cudaEventSynchronize(end);
  cudaEventElapsedTime(&both, begin, end);
  cudaDeviceSynchronize();
  for (const cudaGraphExec_t instance : instances) cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return x.is([](int i) { return i < 32 ? 3 : 0; }) && both > 1.8F * one;
}
bool sound_instance_in_two_streams() {
  return launched_in_two_streams<true>();
}
bool two_instances_in_two_streams() {
  return launched_in_two_streams<false>();
}

const Case cases[] = {
    CASE(sound_event_between),
    CASE(nothing_between),
    CASE(event_too_early),
    CASE(event_on_the_wrong_stream),
    CASE(host_waits_for_the_wrong_stream),
    CASE(sound_event_each_round),
    CASE(event_of_the_first_round),
    CASE(sound_stream_waited_for),
    CASE(sound_device_waited_for),
    CASE(sound_event_waited_for),
    CASE(sound_event_asked),
    CASE(sound_stream_asked),
    CASE(sound_order_passed_on),
    CASE(sound_host_function),
    CASE(asked_once),
    CASE(sound_default_stream_between_blocking_ones),
    CASE(default_stream_and_a_non_blocking_one),
    CASE(sound_set_and_waited_for),
    CASE(set_and_not_waited_for),
    CASE(sound_copy_before_kernel),
    CASE(copy_beside_kernel),
    CASE(sound_kernel_before_copy),
    CASE(kernel_beside_copy),
    CASE(sound_copies_through_one_buffer),
    CASE(copies_meet_in_one_buffer),
    CASE(sound_ordinary_copies),
    CASE(ordinary_copy_overtaken),
    CASE(sound_page_locked_copy),
    CASE(sound_read_after_waiting),
    CASE(read_before_waiting),
    CASE(sound_registered_read_after_waiting),
    CASE(registered_read_before_waiting),
    CASE(sound_registered_flag),
    CASE(registered_read_beside_a_kernel),
    CASE(sound_source_reused_after_waiting),
    CASE(source_reused_too_early),
    CASE(sound_managed_after_waiting),
    CASE(sound_managed_input_read),
    CASE(managed_read_before_waiting),
    CASE(managed_written_before_waiting),
    CASE(sound_mapped_after_waiting),
    CASE(mapped_read_before_waiting),
    CASE(sound_waited_for_its_stream),
    CASE(waited_for_the_other_stream),
    CASE(sound_graph_waited_for),
    CASE(graph_kernel_not_waited_for),
    CASE(graph_copy_not_waited_for),
    CASE(sound_other_member_of_structure),
    CASE(sound_member_after_waiting),
    CASE(member_read_before_waiting),
    CASE(member_written_before_waiting),
    CASE(managed_variable_read_too_early),
    CASE(sound_kernel_reads_what_was_brought),
    CASE(sound_host_is_told),
    CASE(sound_constants_waited_for),
    CASE(constants_changed_beside_a_kernel),
    CASE(sound_every_other_element),
    CASE(the_same_elements),
    CASE(sound_neighbouring_bytes),
    CASE(one_byte_in_common),
    CASE(sound_two_readers),
    CASE(sound_one_counter),
    CASE(counter_read_too_early),
    CASE(sound_freed_after_use),
    CASE(freed_beside_use),
    CASE(sound_edge_in_a_graph),
    CASE(no_edge_in_a_graph),
    CASE(sound_graph_before_kernel),
    CASE(graph_beside_kernel),
    CASE(sound_instance_in_two_streams),
    CASE(two_instances_in_two_streams),
    CASE(sound_second_half_from_the_first),
    CASE(sound_columns_from_their_neighbours),
    CASE(shifted_by_one),
    CASE(sound_graph_memory_freed_after_use),
    CASE(graph_memory_freed_beside_use),
    CASE(sound_memory_left_by_a_graph),
    CASE(memory_of_a_graph_used_too_early),
    CASE(memory_of_a_graph_freed_too_early),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

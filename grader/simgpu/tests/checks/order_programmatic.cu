/// @file
/// Programmatic launches: a kernel that may begin before the one ahead of it has ended. What that one writes is there only behind
/// cudaGridDependencySynchronize().
#include "order.hpp"

constexpr int kCount = 1024, kThreads = 256;

__device__ int own_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

enum class Lets { next, nobody };

template <Lets lets>
__global__ void primary(int* x) {
  if (lets == Lets::next) cudaTriggerProgrammaticLaunchCompletion();
  x[own_index()] = own_index();  //~ primary
}

enum class Waits { all, one, one_without_barrier, too_late, never };

template <Waits waits>
__global__ void secondary(const int* weights, const int* x, int* y) {
  const int weight = weights[own_index()];  // what the other has no part in may be fetched ahead
  if (waits == Waits::all) cudaGridDependencySynchronize();
  if ((waits == Waits::one || waits == Waits::one_without_barrier) && threadIdx.x == 0)
    cudaGridDependencySynchronize();
  if (waits == Waits::one) __syncthreads();
  const int value = x[own_index()];  //! primary
  if (waits == Waits::too_late) cudaGridDependencySynchronize();
  y[own_index()] = value + weight + 1;
}

/// Overwrites what the other writes, before it has waited.
__global__ void overwrites(const int* weights, int* x, int* y) {
  x[own_index()] = weights[own_index()];  //! primary
  cudaGridDependencySynchronize();
  y[own_index()] = own_index() + 1;
}

template <typename... Parameters>
void launch_early(void (*kernel)(Parameters...), cudaStream_t stream, Parameters... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = kCount / kThreads;
  config.blockDim = kThreads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}

bool numbered(const Array<int>& y) {
  return y.is([](int i) { return i + 1; });
}

enum class Between { nothing, host, copy };

template <Waits waits, Lets lets = Lets::next, Between between = Between::nothing>
bool follows() {
  Array<int> weights(kCount), x(kCount), y(kCount), z(kCount);
  cudaDeviceSynchronize();
  primary<lets><<<kCount / kThreads, kThreads>>>(x);
  if (between == Between::host) cudaDeviceSynchronize();
  if (between == Between::copy) cudaMemcpyAsync(z, x, kCount * sizeof(int), cudaMemcpyDeviceToDevice);
  launch_early<const int*, const int*, int*>(secondary<waits>, nullptr, weights,
                                             between == Between::copy ? z : x, y);
  return numbered(y);
}
bool sound_all_wait() {
  return follows<Waits::all>();
}
bool sound_one_waits_for_its_block() {
  return follows<Waits::one>();
}
bool sound_next_is_not_let() {
  return follows<Waits::never, Lets::nobody>();
}
bool sound_host_waits_between() {
  return follows<Waits::never, Lets::next, Between::host>();
}
bool sound_copy_between() {
  return follows<Waits::never, Lets::next, Between::copy>();
}
bool one_waits_without_barrier() {
  return follows<Waits::one_without_barrier>();
}
bool waits_too_late() {
  return follows<Waits::too_late>();
}
bool waits_never() {
  return follows<Waits::never>();
}

bool sound_ordinary_launch() {
  Array<int> weights(kCount), x(kCount), y(kCount);
  cudaDeviceSynchronize();
  primary<Lets::next><<<kCount / kThreads, kThreads>>>(x);
  secondary<Waits::never><<<kCount / kThreads, kThreads>>>(weights, x, y);
  return numbered(y);
}
bool writes_before_waiting() {
  Array<int> weights(kCount), x(kCount), y(kCount);
  cudaDeviceSynchronize();
  primary<Lets::next><<<kCount / kThreads, kThreads>>>(x);
  launch_early<const int*, int*, int*>(overwrites, nullptr, weights, x, y);
  return numbered(y);
}

// Each lets the next one begin, and waits for the one before.
template <bool waits>
__global__ void step(const int* x, int* y) {
  if (waits) cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
  y[own_index()] = x[own_index()] + 1;  //! step
}
template <bool waits>
bool steps() {
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  for (int k = 0; k < 3; ++k) {
    launch_early<const int*, int*>(step<true>, nullptr, x, y);
    launch_early<const int*, int*>(step<waits>, nullptr, y, x);
  }
  return x.is([](int) { return 6; });
}
bool sound_steps() {
  return steps<true>();
}
bool every_other_step_waits() {
  return steps<false>();
}

// As nodes of a graph.
template <Waits waits>
bool captured() {
  Array<int> weights(kCount), x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaStreamBeginCapture(s.a, cudaStreamCaptureModeGlobal);
  primary<Lets::next><<<kCount / kThreads, kThreads, 0, s.a>>>(x);
  launch_early<const int*, const int*, int*>(secondary<waits>, s.a, weights, x, y);
  cudaStreamEndCapture(s.a, &graph);
  cudaGraphInstantiate(&instance, graph, 0);
  for (int i = 0; i < 2; ++i) cudaGraphLaunch(instance, s.a);
  cudaStreamSynchronize(s.a);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return numbered(y);
}
bool sound_waits_in_a_graph() {
  return captured<Waits::all>();
}
bool waits_never_in_a_graph() {
  return captured<Waits::never>();
}

const Case cases[] = {
    CASE(sound_all_wait),
    CASE(sound_one_waits_for_its_block),
    CASE(sound_next_is_not_let),
    CASE(sound_host_waits_between),
    CASE(sound_copy_between),
    CASE(sound_ordinary_launch),
    CASE(sound_steps),
    CASE(sound_waits_in_a_graph),
    CASE(one_waits_without_barrier),
    CASE(waits_too_late),
    CASE(waits_never),
    CASE(writes_before_waiting),
    CASE(every_other_step_waits),
    CASE(waits_never_in_a_graph),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

/// @file
/// Functions of the host that a stream calls. One comes after what its own stream has done before, and after the events that this has
/// waited for; what other streams still do with page-locked or managed memory it touches by chance.
#include "order.hpp"

constexpr int kCount = 1 << 12;
constexpr int kBytes = kCount * sizeof(int);

__global__ void number(int* y, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = i + offset;  //! numbered
}
__global__ void add(int* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += 1;
}

/// Page-locked memory that goes with the object.
struct Pinned {
  Pinned() {
    cudaMallocHost(&data, kBytes);
    std::memset(data, 0, kBytes);
  }
  ~Pinned() { cudaFreeHost(data); }
  int* data;
};

enum class Behind { own_stream, event, nothing };

/// Two streams, of which the second is to call a function: what it has to wait for.
template <Behind behind>
cudaStream_t to_call_in(Streams& s) {
  if (behind == Behind::own_stream) return s.a;
  if (behind == Behind::event) {
    cudaEventRecord(s.event, s.a);
    cudaStreamWaitEvent(s.b, s.event, 0);
  }
  return s.b;
}

// It looks at what a copy brings.
int seen;
void looks(void* data) {
  seen = static_cast<const int*>(data)[kCount - 1];
}
template <Behind behind>
bool looks_at_result() {
  Pinned out;
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  seen = -1;
  number<<<kCount / 256, 256, 0, s.a>>>(x, 1);
  cudaMemcpyAsync(out.data, x, kBytes, cudaMemcpyDeviceToHost, s.a);
  cudaLaunchHostFunc(to_call_in<behind>(s), looks, out.data);
  cudaDeviceSynchronize();
  return seen == kCount;
}
bool sound_function_behind_the_copy() {
  return looks_at_result<Behind::own_stream>();
}
bool sound_function_behind_an_event() {
  return looks_at_result<Behind::event>();
}
bool function_beside_the_copy() {
  return looks_at_result<Behind::nothing>();
}

// It fills a buffer anew from which a copy has to take the old values first.
void refills(void* data) {
  for (int i = 0; i < kCount; ++i) static_cast<int*>(data)[i] = 2;
}
template <Behind behind>
bool refilled() {
  Pinned in;
  for (int i = 0; i < kCount; ++i) in.data[i] = 1;
  Array<int> x(kCount), y(kCount);
  cudaDeviceSynchronize();
  Streams s;
  cudaMemcpyAsync(x, in.data, kBytes, cudaMemcpyHostToDevice, s.a);
  const cudaStream_t stream = to_call_in<behind>(s);
  cudaLaunchHostFunc(stream, refills, in.data);
  cudaMemcpyAsync(y, in.data, kBytes, cudaMemcpyHostToDevice, stream);
  cudaDeviceSynchronize();
  return x.is([](int) { return 1; }) && y.is([](int) { return 2; });
}
bool sound_refilled_behind_the_copy() {
  return refilled<Behind::own_stream>();
}
bool sound_refilled_behind_an_event() {
  return refilled<Behind::event>();
}
bool refilled_beside_the_copy() {
  return refilled<Behind::nothing>();
}

// The same by the nodes of a graph, and in managed memory.
template <bool edge>
bool looks_in_a_graph() {
  int* out = nullptr;
  cudaMallocManaged(&out, kBytes);
  std::memset(out, 0, kBytes);
  cudaDeviceSynchronize();
  Streams s;
  seen = -1;
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t kernel, function;
  int offset = 1;
  void* arguments[] = {&out, &offset};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(number);
  launch.gridDim = kCount / 256;
  launch.blockDim = 256;
  launch.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch);
  cudaHostNodeParams call{};
  call.fn = looks;
  call.userData = out;
  cudaGraphAddHostNode(&function, graph, &kernel, edge ? 1 : 0, &call);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, s.a);
  cudaStreamSynchronize(s.a);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  cudaFree(out);
  return seen == kCount;
}
bool sound_function_behind_its_edge() {
  return looks_in_a_graph<true>();
}
bool function_without_an_edge() {
  return looks_in_a_graph<false>();
}

// What other streams do with other memory is none of its business, and the device goes on behind it.
bool sound_function_beside_other_work() {
  Pinned mine, others;
  Array<int> x(kCount);
  cudaDeviceSynchronize();
  Streams s;
  number<<<kCount / 256, 256, 0, s.a>>>(x, 0);
  cudaMemcpyAsync(others.data, x, kBytes, cudaMemcpyDeviceToHost, s.a);
  cudaLaunchHostFunc(s.b, refills, mine.data);
  add<<<kCount / 256, 256, 0, s.a>>>(others.data);
  cudaDeviceSynchronize();
  return mine.data[5] == 2 && others.data[5] == 6;
}

const Case cases[] = {
    CASE(sound_function_behind_the_copy),   CASE(sound_function_behind_an_event),
    CASE(function_beside_the_copy),         CASE(sound_refilled_behind_the_copy),
    CASE(sound_refilled_behind_an_event),   CASE(refilled_beside_the_copy),
    CASE(sound_function_behind_its_edge),   CASE(function_without_an_edge),
    CASE(sound_function_beside_other_work),
};

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

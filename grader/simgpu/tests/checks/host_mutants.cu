/// @file
/// Mistakes of the host's side: launches that cannot be, memory that is freed wrongly or never, recursion without
/// end.
#include "mutants.hpp"

__global__ void nothing(int* x) {
  if (x) x[threadIdx.x] = 1;
}

void too_many_threads() {
  nothing<<<1, 2048>>>(nullptr);
}
void no_blocks() {
  nothing<<<0, 32>>>(nullptr);
}
void too_much_shared() {
  nothing<<<1, 32, 1 << 20>>>(nullptr);
}
void grid_too_tall() {
  nothing<<<dim3(1, 70000), 32>>>(nullptr);
}

__device__ __noinline__ int depth(int n, int* y) {
  volatile int room[64];
  room[n & 63] = n;
  return n == 0 ? 0 : depth(n + 1, y) + room[n & 63];  //! stack_overflow
}
__global__ void recursion(int* y) {
  *y = depth(1, y);  //! stack_overflow
}
void stack_overflow() {
  recursion<<<1, 1>>>(filled<int>(1));
}

__global__ void trapped() {
  __trap();  //! trapped
}
void trap() {
  trapped<<<1, 32>>>();
}

void freed_behind_a_fault() {
  int* x = filled<int>(32);
  trapped<<<1, 32>>>();
  cudaDeviceSynchronize();
  cudaFree(x);
}
// The device can be used again, and what is left then is a leak.
void reset_behind_a_fault() {
  freed_behind_a_fault();
  cudaDeviceReset();
  filled<int>(32);
}

// More than eight blocks of a cluster have to be asked for.
void cluster_of(int blocks, bool asked) {
  if (asked) cudaFuncSetAttribute(nothing, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t wish{};
  wish.gridDim = dim3(32);
  wish.blockDim = dim3(32);
  wish.attrs = &cluster;
  wish.numAttrs = 1;
  cudaLaunchKernelEx(&wish, nothing, static_cast<int*>(nullptr));
}
void sound_large_cluster() {
  cluster_of(16, true);
}
void cluster_not_asked_for() {
  cluster_of(16, false);
}
void cluster_too_large() {
  cluster_of(32, true);
}
__global__ void much_static_shared(int* x) {
  __shared__ int some[1000];
  some[threadIdx.x] = 1;
  if (x) x[threadIdx.x] = some[threadIdx.x];
}
void shared_attribute_too_large() {
  std::printf("call %d\n", cudaFuncSetAttribute(much_static_shared,
                                                cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
}

// Captures, and what spoils them.
struct Capture {
  Capture() {
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    cudaMalloc(&x, 32 * sizeof(int));
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  }
  /// Ends it with @return the error of that.
  int end() {
    cudaGraph_t graph = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaEventDestroy(event);
    cudaStreamDestroy(other);
    cudaStreamDestroy(stream);
    cudaFree(x);
    return error;
  }
  cudaStream_t stream = nullptr, other = nullptr;
  cudaEvent_t event = nullptr;
  int* x = nullptr;
};
void capture_of_two_streams(bool joined) {
  Capture c;
  cudaEventRecord(c.event, c.stream);
  cudaStreamWaitEvent(c.other, c.event, 0);
  nothing<<<1, 32, 0, c.other>>>(c.x);
  if (joined) {
    cudaEventRecord(c.event, c.other);
    cudaStreamWaitEvent(c.stream, c.event, 0);
  }
  std::printf("call %d\n", c.end());
}
void sound_capture_joined() {
  capture_of_two_streams(true);
}
void capture_not_joined() {
  capture_of_two_streams(false);
}
void capture_with_allocation() {
  Capture c;
  int* y = nullptr;
  std::printf("call %d\n", cudaMalloc(&y, 4));
  c.end();
}
void capture_of_default_stream() {
  std::printf("call %d\n", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
}

void elapsed(bool sound) {
  cudaEvent_t a, b;
  cudaEventCreate(&a);
  cudaEventCreate(&b);
  cudaEventRecord(a);
  if (sound) cudaEventRecord(b);
  cudaDeviceSynchronize();
  float ms = 0;
  std::printf("call %d\n", cudaEventElapsedTime(&ms, a, b));
  cudaEventDestroy(a);
  cudaEventDestroy(b);
}
void sound_elapsed() {
  elapsed(true);
}
void elapsed_unrecorded() {
  elapsed(false);
}
void free_async_twice() {
  int* x = nullptr;
  cudaMallocAsync(&x, 128, nullptr);
  cudaFreeAsync(x, nullptr);
  std::printf("call %d\n", cudaFreeAsync(x, nullptr));
}
void prefetch_of_device_memory() {
  int* x = filled<int>(32);
  std::printf("call %d\n", cudaMemPrefetchAsync(x, 128, {cudaMemLocationTypeDevice, 0}, 0, nullptr));
  cudaFree(x);
}
void pitch_too_small() {
  int* x = filled<int>(64);
  static int host[64];
  std::printf("call %d\n", cudaMemcpy2D(host, 8, x, 32, 32, 8, cudaMemcpyDeviceToHost));
  cudaFree(x);
}

void free_twice() {
  int* x = filled<int>(32);
  cudaFree(x);
  std::printf("call %d\n", cudaFree(x));
}
void free_inside() {
  int* x = filled<int>(32);
  std::printf("call %d\n", cudaFree(x + 1));
  cudaFree(x);
}
void free_host_of_device() {
  int* x = filled<int>(32);
  std::printf("call %d\n", cudaFreeHost(x));
  cudaFree(x);
}
void free_of_malloc() {
  static int x[32];
  std::printf("call %d\n", cudaFree(x));
}
void copy_too_much() {
  int* x = filled<int>(32);
  static int host[64];
  std::printf("call %d\n", cudaMemcpy(x, host, 256, cudaMemcpyHostToDevice));
  cudaFree(x);
}
void copy_wrong_way() {
  int* x = filled<int>(32);
  static int host[32];
  std::printf("call %d\n", cudaMemcpy(x, host, 128, cudaMemcpyDeviceToHost));
  cudaFree(x);
}
void set_too_much() {
  int* x = filled<int>(32);
  std::printf("call %d\n", cudaMemset(x, 0, 129));
  cudaFree(x);
}
void freed_while_registered() {
  void* const p = std::malloc(1 << 20);  // so much the C library gives back to the system
  cudaHostRegister(p, 1 << 20, cudaHostRegisterDefault);
  std::free(p);
  std::printf("call %d\n", cudaHostUnregister(p));
}
// Conditions of graphs: a handle that nobody has given, and a loop whose kernel fails before it can end it.
__global__ void set_condition(cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, 1);  //! condition_of_nobody
}
void condition_of_nobody() {
  set_condition<<<1, 1>>>(12345);
}
__global__ void fails(cudaGraphConditionalHandle) {
  __trap();  //! failing_loop
}
void failing_loop() {
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNodeParams wish{};
  wish.type = cudaGraphNodeTypeConditional;
  cudaGraphConditionalHandleCreate(&wish.conditional.handle, graph, 1, cudaGraphCondAssignDefault);
  wish.conditional.type = cudaGraphCondTypeWhile;
  wish.conditional.size = 1;
  cudaGraphNode_t node;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &wish);
  void* arguments[] = {&wish.conditional.handle};
  cudaKernelNodeParams kernel{reinterpret_cast<void*>(fails), dim3(1), dim3(1), 0, arguments, nullptr};
  cudaGraphAddKernelNode(&node, wish.conditional.phGraph_out[0], nullptr, 0, &kernel);
  cudaGraphExec_t instance;
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphLaunch(instance, nullptr);
}

void leaked_memory() {
  filled<int>(25);
}
void leaked_stream() {
  cudaStream_t s;
  cudaStreamCreate(&s);
}
void leaked_event() {
  cudaEvent_t e;
  cudaEventCreate(&e);
}
void leaked_array() {
  const cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  cudaMallocArray(&a, &d, 16, 16);
}
void leaked_pinned() {
  void* p;
  cudaMallocHost(&p, 100);
}
#define CASE(name) \
  { #name, name }
const Case cases[] = {
    CASE(too_many_threads),
    CASE(no_blocks),
    CASE(too_much_shared),
    CASE(grid_too_tall),
    CASE(stack_overflow),
    CASE(trap),
    CASE(sound_large_cluster),
    CASE(cluster_not_asked_for),
    CASE(cluster_too_large),
    CASE(shared_attribute_too_large),
    CASE(sound_capture_joined),
    CASE(capture_not_joined),
    CASE(capture_with_allocation),
    CASE(capture_of_default_stream),
    CASE(sound_elapsed),
    CASE(elapsed_unrecorded),
    CASE(free_async_twice),
    CASE(prefetch_of_device_memory),
    CASE(pitch_too_small),
    CASE(free_twice),
    CASE(free_inside),
    CASE(free_host_of_device),
    CASE(free_of_malloc),
    CASE(copy_too_much),
    CASE(copy_wrong_way),
    CASE(set_too_much),
    CASE(leaked_memory),
    CASE(leaked_stream),
    CASE(leaked_event),
    CASE(leaked_array),
    CASE(leaked_pinned),
    CASE(condition_of_nobody),
    CASE(failing_loop),
    CASE(freed_while_registered),
    CASE(freed_behind_a_fault),
    CASE(reset_behind_a_fault),
};

int main(int argc, char** argv) {
  return run_case(cases, argc, argv);
}

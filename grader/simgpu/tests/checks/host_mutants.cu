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

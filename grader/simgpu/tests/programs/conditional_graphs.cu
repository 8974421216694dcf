// Graphs with nodes that decide: while, if, if and else, switch; inside each other, captured, built by hand, launched again.
#include "program.hpp"

__global__ void count_down(int* left, int* turns, cudaGraphConditionalHandle again) {
  ++*turns;
  if (--*left == 0) cudaGraphSetConditional(again, 0);
}
__global__ void decide(cudaGraphConditionalHandle handle, const unsigned* value) {
  cudaGraphSetConditional(handle, *value);
}
__global__ void put(int* to, int value) {
  *to += value;
}
__global__ void put_if_even(int* of, cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, *of % 2 == 0);
}

using Handle = cudaGraphConditionalHandle;
Handle handle_for(cudaGraph_t graph, unsigned first = 0, unsigned flags = 0) {
  Handle handle = 0;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, first, flags));
  return handle;
}
cudaGraphNodeParams conditional(Handle handle, cudaGraphConditionalNodeType type, unsigned size = 1) {
  cudaGraphNodeParams wish{};
  wish.type = cudaGraphNodeTypeConditional;
  wish.conditional.handle = handle;
  wish.conditional.type = type;
  wish.conditional.size = size;
  return wish;
}
cudaGraphNode_t add(cudaGraph_t graph, cudaGraphNodeParams& wish, std::vector<cudaGraphNode_t> after = {}) {
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after.data(), nullptr, after.size(), &wish));
  return node;
}
template <typename... Arguments>
cudaGraphNode_t kernel(cudaGraph_t graph, void (*function)(Arguments...), std::vector<cudaGraphNode_t> after,
                       Arguments... arguments) {
  void* pointers[] = {&arguments...};
  cudaGraphNodeParams wish{};
  wish.type = cudaGraphNodeTypeKernel;
  wish.kernel.func = reinterpret_cast<void*>(function);
  wish.kernel.gridDim = wish.kernel.blockDim = dim3(1);
  wish.kernel.kernelParams = pointers;
  return add(graph, wish, std::move(after));
}
cudaGraphExec_t instance_of(cudaGraph_t graph) {
  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  return instance;
}

// A loop that its kernel ends, each time the graph is launched; and behind it, what follows. Then with what another graph does.
cudaGraph_t looping(int* x, int behind_it) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const Handle again = handle_for(graph, 1, cudaGraphCondAssignDefault);
  cudaGraphNodeParams wish = conditional(again, cudaGraphCondTypeWhile);
  const cudaGraphNode_t node = add(graph, wish);
  kernel(wish.conditional.phGraph_out[0], count_down, {}, x, x + 1, again);
  kernel(graph, put, {node}, x + 2, behind_it);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(node, &type));
  EXPECT(type == cudaGraphNodeTypeConditional);
  return graph;
}
void loop() {
  int* x = to_device<int>({5, 0, 0});
  const cudaGraph_t graph = looping(x, 100);
  const cudaGraphExec_t instance = instance_of(graph);
  CHECK(cudaGraphLaunch(instance, nullptr));
  CHECK(cudaDeviceSynchronize());
  EXPECT(to_host(x, 3) == (std::vector<int>{0, 5, 100}));
  const int three = 3;
  CHECK(cudaMemcpy(x, &three, sizeof three, cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(instance, nullptr));
  EXPECT(to_host(x, 3) == (std::vector<int>{0, 8, 200}));
  const cudaGraph_t other = looping(x, 1);
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(instance, other, &info));
  CHECK(cudaGraphDestroy(other));  // the instance keeps what it needs
  CHECK(cudaMemcpy(x, &three, sizeof three, cudaMemcpyHostToDevice));
  CHECK(cudaGraphLaunch(instance, nullptr));
  EXPECT(to_host(x, 3) == (std::vector<int>{0, 11, 201}));
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(x));
}

// Values that a kernel of the graph sets: no body, the first, the second, or none of a switch's.
void branches() {
  int* x = to_device<int>({0, 0, 0, 0, 0, 0});
  unsigned* value = to_device<unsigned>({0});
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const auto behind_decision = [&](cudaGraphConditionalNodeType type, unsigned size) {
    const Handle handle = handle_for(graph);
    cudaGraphNodeParams wish = conditional(handle, type, size);
    add(graph, wish, {kernel<Handle, const unsigned*>(graph, decide, {}, handle, value)});
    return wish.conditional.phGraph_out;
  };
  cudaGraph_t* const plain = behind_decision(cudaGraphCondTypeIf, 1);
  kernel(plain[0], put, {}, x, 1);
  cudaGraph_t* const with_else = behind_decision(cudaGraphCondTypeIf, 2);
  kernel(with_else[0], put, {}, x + 1, 1);
  kernel(with_else[1], put, {}, x + 2, 1);
  cudaGraph_t* const one_of = behind_decision(cudaGraphCondTypeSwitch, 3);
  for (int i = 0; i < 3; ++i) kernel(one_of[i], put, {}, x + 3 + i, 1);
  const cudaGraphExec_t instance = instance_of(graph);
  const std::vector<std::vector<int>> want = {
      {0, 0, 1, 1, 0, 0}, {1, 1, 1, 1, 1, 0}, {2, 2, 1, 1, 1, 1}, {3, 3, 1, 1, 1, 1}};
  for (unsigned v = 0; v < want.size(); ++v) {
    CHECK(cudaMemcpy(value, &v, sizeof v, cudaMemcpyHostToDevice));
    CHECK(cudaGraphLaunch(instance, nullptr));
    EXPECT(to_host(x, 6) == want[v]);
  }
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(x));
  CHECK(cudaFree(value));
}

// A decision in a loop whose body is captured; behind a kernel that waits for the host.
__global__ void wait_for(volatile int* go) {
  while (*go == 0) {
  }
}
void nested() {
  int* x = to_device<int>({6, 0, 0});
  int* go;
  CHECK(cudaMallocHost(&go, sizeof *go));
  *go = 0;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  const Handle again = handle_for(graph, 1, cudaGraphCondAssignDefault), even = handle_for(graph);
  cudaGraphNodeParams loop = conditional(again, cudaGraphCondTypeWhile);
  add(graph, loop);
  const cudaGraph_t body = loop.conditional.phGraph_out[0];
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal));
  put_if_even<<<1, 1, 0, stream>>>(x, even);
  count_down<<<1, 1, 0, stream>>>(x, x + 1, again);
  CHECK(cudaStreamEndCapture(stream, nullptr));  // the body has its handle already
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  std::vector<cudaGraphNode_t> nodes(2);
  size_t count = nodes.size();
  CHECK(cudaGraphGetNodes(body, nodes.data(), &count));
  EXPECT(count == 2);
  cudaGraphNodeParams choice = conditional(even, cudaGraphCondTypeIf);
  add(body, choice, {nodes[1]});
  kernel(choice.conditional.phGraph_out[0], put, {}, x + 2, 1);
  const cudaGraphExec_t instance = instance_of(graph);
  wait_for<<<1, 1, 0, stream>>>(go);
  CHECK(cudaGraphLaunch(instance, stream));
  *go = 1;
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(to_host(x, 3) == (std::vector<int>{0, 6, 3}));
  CHECK(cudaGraphExecDestroy(instance));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(go));
  CHECK(cudaFree(x));
}

// What CUDA does not allow.
void refusals() {
  cudaGraph_t graph, other;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&other, 0));
  const Handle handle = handle_for(graph);
  cudaGraphNode_t node;
  cudaGraphNodeParams wish = conditional(handle, cudaGraphCondTypeWhile, 2);
  EXPECT(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &wish) == cudaErrorInvalidValue);
  wish = conditional(handle + 1000, cudaGraphCondTypeIf);
  EXPECT(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &wish) == cudaErrorInvalidValue);
  wish = conditional(handle, cudaGraphCondTypeIf);
  add(graph, wish);
  const cudaGraph_t body = wish.conditional.phGraph_out[0];
  EXPECT(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &wish) == cudaErrorInvalidValue);  // it has one
  EXPECT(cudaGraphAddChildGraphNode(&node, other, nullptr, 0, graph) != cudaSuccess);
  cudaGraph_t clone;
  EXPECT(cudaGraphClone(&clone, graph) != cudaSuccess);
  cudaGraphExec_t instance = instance_of(graph);
  CHECK(cudaGraphExecDestroy(instance));
  wish = {};
  wish.type = cudaGraphNodeTypeHost;
  wish.host.fn = [](void*) {};
  add(body, wish);  // a function of the host's in a body
  EXPECT(cudaGraphInstantiate(&instance, graph, 0) != cudaSuccess);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
  (void)cudaGetLastError();
}

int main() {
  loop();
  branches();
  nested();
  refusals();
  return ok();
}

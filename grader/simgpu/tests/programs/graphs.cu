// Graphs by hand and by capture: every node type, order, children, parameters changed, updates, clones, questions.
#include <cstring>

#include "program.hpp"

__constant__ int offset;

__global__ void add_offset(int* data, int by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] += by + offset;
}
__global__ void square(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= data[i];
}

static void CUDART_CB count_up(void* data) {
  ++*static_cast<int*>(data);
}

int main() {
  const int n = 300;
  std::vector<int> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = i;
  int* d = nullptr;
  CHECK(cudaMalloc(&d, n * sizeof(int)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));

  // copy in, constant -> kernel -> empty -> copy out, host
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy_in, set_constant, kernel, join, copy_out, host;
  CHECK(cudaGraphAddMemcpyNode1D(&copy_in, graph, nullptr, 0, d, in.data(), n * sizeof(int),
                                 cudaMemcpyHostToDevice));
  const int hundred = 100;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&set_constant, graph, nullptr, 0, offset, &hundred, sizeof(int), 0,
                                       cudaMemcpyHostToDevice));
  int by = 5, size = n;
  void* arguments[] = {&d, &by, &size};
  cudaKernelNodeParams kernel_parameters = {};
  kernel_parameters.func = (void*)add_offset;
  kernel_parameters.gridDim = dim3(3);
  kernel_parameters.blockDim = dim3(128);
  kernel_parameters.kernelParams = arguments;
  const cudaGraphNode_t both[] = {copy_in, set_constant};
  CHECK(cudaGraphAddKernelNode(&kernel, graph, both, 2, &kernel_parameters));
  CHECK(cudaGraphAddEmptyNode(&join, graph, &kernel, 1));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(d, n * sizeof(int), n, 1);
  copy.dstPtr = make_cudaPitchedPtr(out.data(), n * sizeof(int), n, 1);
  copy.extent = make_cudaExtent(n * sizeof(int), 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&copy_out, graph, nullptr, 0, &copy));
  CHECK(cudaGraphAddDependencies(graph, &join, &copy_out, nullptr, 1));
  int counted = 0;
  cudaHostNodeParams host_parameters = {count_up, &counted};
  CHECK(cudaGraphAddHostNode(&host, graph, &copy_out, 1, &host_parameters));

  std::size_t nodes = 0, roots = 0, edges = 0, before = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &roots));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  CHECK(cudaGraphNodeGetDependencies(kernel, nullptr, nullptr, &before));
  EXPECT(nodes == 6 && roots == 2 && edges == 5 && before == 2);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(host, &type));
  EXPECT(type == cudaGraphNodeTypeHost);
  cudaKernelNodeParams asked = {};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &asked));
  EXPECT(asked.gridDim.x == 3 && *static_cast<int*>(asked.kernelParams[1]) == 5);

  cudaGraphExec_t instance;
  CHECK(cudaGraphInstantiate(&instance, graph, 0));
  by = 77;  // the arguments were copied
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == i + 105);
  EXPECT(counted == 1);

  // Another argument in the instance; the graph keeps its own.
  CHECK(cudaGraphExecKernelNodeSetParams(instance, kernel, &kernel_parameters));
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == i + 177);
  // The whole graph's parameters again.
  cudaGraphExecUpdateResultInfo info = {};
  CHECK(cudaGraphExecUpdate(instance, graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == i + 105);
  EXPECT(counted == 3);
  CHECK(cudaGraphNodeSetEnabled(instance, kernel, 0));
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(out == in);

  // A clone with one node more does not fit the instance.
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, graph));
  cudaGraphNode_t in_clone, extra;
  CHECK(cudaGraphNodeFindInClone(&in_clone, host, clone));
  CHECK(cudaGraphAddEmptyNode(&extra, clone, &in_clone, 1));
  EXPECT(cudaGraphExecUpdate(instance, clone, &info) == cudaErrorGraphExecUpdateFailure);
  (void)cudaGetLastError();
  CHECK(cudaGraphDestroyNode(extra));
  CHECK(cudaGraphExecDestroy(instance));

  // Captured, with a fork and a join, and a child.
  cudaStream_t other;
  CHECK(cudaStreamCreate(&other));
  cudaEvent_t fork, done;
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&done));
  int* e = nullptr;
  CHECK(cudaMalloc(&e, n * sizeof(int)));
  cudaGraph_t captured;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(d, in.data(), n * sizeof(int), cudaMemcpyHostToDevice, stream));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  CHECK(cudaMemsetAsync(e, 0, n * sizeof(int), other));
  add_offset<<<3, 128, 0, other>>>(e, 3, n);
  CHECK(cudaEventRecord(done, other));
  square<<<3, 128, 0, stream>>>(d, n);
  CHECK(cudaStreamWaitEvent(stream, done, 0));
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(other, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  CHECK(cudaMemcpyAsync(out.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &captured));
  for (int& v : out) v = -1;
  cudaGraph_t parent;
  CHECK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t child, clear;
  CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, captured));
  cudaMemsetParams fill = {};
  fill.dst = d;
  fill.value = 0x01020304;
  fill.elementSize = 4;
  fill.width = 10;
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&clear, parent, &child, 1, &fill));
  CHECK(cudaGraphInstantiateWithFlags(&instance, parent, 0));
  CHECK(cudaGraphUpload(instance, stream));
  CHECK(cudaGraphLaunch(instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == i * i);
  const auto filled = to_host(d, n), added = to_host(e, n);
  for (int i = 0; i < n; ++i) EXPECT(filled[i] == (i < 10 ? 0x01020304 : i * i) && added[i] == 103);

  // Memory made and freed by a graph.
  cudaGraph_t with_memory;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* temporary = nullptr;
  CHECK(cudaMallocAsync(&temporary, n * sizeof(int), stream));
  CHECK(cudaMemsetAsync(temporary, 1, n * sizeof(int), stream));
  CHECK(cudaMemcpyAsync(out.data(), temporary, n * sizeof(int), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaFreeAsync(temporary, stream));
  CHECK(cudaStreamEndCapture(stream, &with_memory));
  cudaGraphExec_t memory_instance;
  CHECK(cudaGraphInstantiate(&memory_instance, with_memory, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(memory_instance, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int v : out) EXPECT(v == 0x01010101);
  CHECK(cudaGraphExecDestroy(memory_instance));
  CHECK(cudaGraphExecDestroy(instance));
  for (const auto g : {graph, clone, captured, parent, with_memory}) CHECK(cudaGraphDestroy(g));
  return ok();
}

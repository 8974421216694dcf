/// @file
/// Handles that are used behind their end, or never were any, graphs that go round in a circle, and variables that are none: the error is
/// CUDA's, and what is wrong with which argument has to be said beside it.
#include "order.hpp"

namespace {

__global__ void nothing() {}
__device__ int variable;
int of_the_host;

/// Says what the wrong call returned.
bool returned(cudaError_t error) {
  std::printf("call %d\n", static_cast<int>(error));
  return true;
}

bool sound_destroyed_behind_the_last_use() {
  Streams on;
  nothing<<<1, 1, 0, on.a>>>();
  cudaEventRecord(on.event, on.a);
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&node, graph, nullptr, 0);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphDestroy(graph);  // the instance is a copy
  cudaGraphLaunch(instance, on.a);
  cudaGraphExecDestroy(instance);
  const int value = 5;
  int back = 0;
  cudaMemcpyToSymbol(variable, &value, sizeof value);
  cudaMemcpyFromSymbol(&back, variable, sizeof back);
  return cudaStreamSynchronize(on.a) == cudaSuccess && back == 5;
}
/// The address of one that has been destroyed may come again.
bool sound_made_again() {
  for (int i = 0; i < 100; ++i) {
    cudaStream_t stream;
    cudaEvent_t event;
    cudaStreamCreate(&stream);
    cudaEventCreate(&event);
    if (cudaEventRecord(event, stream) != cudaSuccess) return false;
    cudaEventDestroy(event);
    cudaStreamDestroy(stream);
  }
  return true;
}

cudaStream_t destroyed_stream() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamDestroy(stream);
  return stream;
}
bool kernel_into_destroyed_stream() {
  nothing<<<1, 1, 0, destroyed_stream()>>>();
  return returned(cudaPeekAtLastError());
}
bool copy_into_destroyed_stream() {
  Array<int> x(4);
  return returned(cudaMemsetAsync(x, 0, 4, destroyed_stream()));
}
bool destroyed_stream_waited_for() {
  return returned(cudaStreamSynchronize(destroyed_stream()));
}
bool stream_destroyed_twice() {
  return returned(cudaStreamDestroy(destroyed_stream()));
}

cudaEvent_t destroyed_event() {
  cudaEvent_t event;
  cudaEventCreate(&event);
  cudaEventDestroy(event);
  return event;
}
bool destroyed_event_recorded() {
  return returned(cudaEventRecord(destroyed_event()));
}
bool destroyed_event_waited_for() {
  return returned(cudaEventSynchronize(destroyed_event()));
}
bool null_event_recorded() {
  return returned(cudaEventRecord(nullptr));
}

bool destroyed_graph_instantiated() {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphCreate(&graph, 0);
  cudaGraphDestroy(graph);
  return returned(cudaGraphInstantiate(&instance, graph, 0));
}
bool destroyed_instance_launched() {
  cudaGraph_t graph;
  cudaGraphExec_t instance;
  cudaGraphCreate(&graph, 0);
  cudaGraphInstantiate(&instance, graph, 0);
  cudaGraphExecDestroy(instance);
  cudaGraphDestroy(graph);
  return returned(cudaGraphLaunch(instance, nullptr));
}

/// A graph of three nodes in a row.
struct Row {
  Row() {
    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < 3; ++i)
      cudaGraphAddEmptyNode(&nodes[i], graph, i > 0 ? &nodes[i - 1] : nullptr, i > 0);
  }
  ~Row() { cudaGraphDestroy(graph); }
  cudaGraph_t graph;
  cudaGraphNode_t nodes[3];
};
bool destroyed_node_joined() {
  Row row;
  cudaGraphDestroyNode(row.nodes[1]);
  return returned(cudaGraphAddDependencies(row.graph, &row.nodes[1], &row.nodes[2], nullptr, 1));
}
bool graph_in_a_circle() {
  Row row;
  cudaGraphAddDependencies(row.graph, &row.nodes[2], &row.nodes[0], nullptr, 1);
  cudaGraphExec_t instance;
  return returned(cudaGraphInstantiate(&instance, row.graph, 0));
}
bool node_before_itself() {
  Row row;
  return returned(cudaGraphAddDependencies(row.graph, &row.nodes[0], &row.nodes[0], nullptr, 1));
}
bool edge_drawn_twice() {
  Row row;
  return returned(cudaGraphAddDependencies(row.graph, &row.nodes[0], &row.nodes[1], nullptr, 1));
}
bool node_of_another_graph() {
  Row row, other;
  cudaGraphNode_t node;
  return returned(cudaGraphAddEmptyNode(&node, row.graph, &other.nodes[0], 1));
}

bool copy_to_what_is_no_symbol() {
  const int value = 5;
  return returned(cudaMemcpyToSymbol(static_cast<const void*>(&of_the_host), &value, sizeof value));
}
bool symbol_by_its_name() {
  void* address = nullptr;
  return returned(cudaGetSymbolAddress(&address, static_cast<const void*>("variable")));
}
bool attributes_of_what_is_no_kernel() {
  cudaFuncAttributes attributes;
  return returned(cudaFuncGetAttributes(&attributes, static_cast<const void*>(&of_the_host)));
}

// Streams that are destroyed while they are being captured. What one has added that was drawn in stays, and has to be joined: an H200 gives
// no graph (904) where it is not. With the stream of cudaStreamBeginCapture all goes, and no call says so.
template <bool joins>
cudaError_t side_stream_destroyed() {
  cudaStream_t first, side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&first);
  cudaStreamCreate(&side);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, first);
  cudaStreamWaitEvent(side, fork, 0);
  nothing<<<1, 1, 0, side>>>();
  cudaEventRecord(join, side);
  if (joins) cudaStreamWaitEvent(first, join, 0);
  cudaStreamDestroy(side);
  cudaGraph_t graph = nullptr;
  const cudaError_t error = cudaStreamEndCapture(first, &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaEventDestroy(fork);
  cudaEventDestroy(join);
  cudaStreamDestroy(first);
  return (error == cudaSuccess) == (graph != nullptr) ? error : cudaErrorUnknown;
}
bool sound_joined_side_of_a_capture_destroyed() {
  return side_stream_destroyed<true>() == cudaSuccess;
}
bool side_of_a_capture_destroyed_unjoined() {
  return returned(side_stream_destroyed<false>());
}
bool captured_stream_destroyed() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  nothing<<<1, 1, 0, stream>>>();
  const bool right = returned(cudaStreamDestroy(stream));
  int* memory = nullptr;
  cudaMalloc(&memory, 4);  // no capture is there any more that forbids it
  cudaFree(memory);
  return right;
}

const Case cases[] = {
    CASE(sound_destroyed_behind_the_last_use),
    CASE(sound_made_again),
    CASE(kernel_into_destroyed_stream),
    CASE(copy_into_destroyed_stream),
    CASE(destroyed_stream_waited_for),
    CASE(stream_destroyed_twice),
    CASE(destroyed_event_recorded),
    CASE(destroyed_event_waited_for),
    CASE(null_event_recorded),
    CASE(destroyed_graph_instantiated),
    CASE(destroyed_instance_launched),
    CASE(destroyed_node_joined),
    CASE(graph_in_a_circle),
    CASE(node_before_itself),
    CASE(edge_drawn_twice),
    CASE(node_of_another_graph),
    CASE(copy_to_what_is_no_symbol),
    CASE(symbol_by_its_name),
    CASE(attributes_of_what_is_no_kernel),
    CASE(sound_joined_side_of_a_capture_destroyed),
    CASE(side_of_a_capture_destroyed_unjoined),
    CASE(captured_stream_destroyed),
};

}  // namespace

int main(int argc, char** argv) {
  return run_cases(cases, argc, argv);
}

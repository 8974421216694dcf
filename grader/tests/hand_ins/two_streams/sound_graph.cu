// expect: pass
/// @file
/// Sound in another style: each run captures both streams into a graph, whose edges are the order, and launches it. The host
/// waits when all is queued.
#include "two_streams.cuh"

struct two_streams_state {
  std::uint32_t* numbers;
  cudaStream_t up, work;
  cudaEvent_t here, done;
};

extern "C" two_streams_state* two_streams_setup(std::size_t n) {
  auto* const state = new two_streams_state{};
  if (n > 0) cudaMalloc(&state->numbers, 4 * n);
  cudaStreamCreateWithFlags(&state->up, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&state->work, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&state->here, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&state->done, cudaEventDisableTiming);
  return state;
}

extern "C" void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  if (n == 0) return;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaStreamBeginCapture(state->up, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(state->numbers, in, 4 * n, cudaMemcpyHostToDevice, state->up);
  cudaEventRecord(state->here, state->up);
  cudaStreamWaitEvent(state->work, state->here);
  encode<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, state->work>>>(state->numbers, n, key);
  cudaEventRecord(state->done, state->work);
  cudaStreamWaitEvent(state->up, state->done);
  cudaMemcpyAsync(out, state->numbers, 4 * n, cudaMemcpyDeviceToHost, state->up);
  cudaStreamEndCapture(state->up, &graph);
  cudaGraphInstantiate(&ready, graph, 0);
  cudaGraphLaunch(ready, state->up);
  cudaStreamSynchronize(state->up);  // behind the last copy
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
}

extern "C" void two_streams_teardown(two_streams_state* state) {
  cudaEventDestroy(state->here);
  cudaEventDestroy(state->done);
  cudaStreamDestroy(state->up);
  cudaStreamDestroy(state->work);
  cudaFree(state->numbers);
  delete state;
}

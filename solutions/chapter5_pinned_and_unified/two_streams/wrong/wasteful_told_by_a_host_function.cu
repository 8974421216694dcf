// expect: wasteful
// says: the host waits
/// @file
/// two_streams: copies on one stream, work on another, and one mistake. The one file of this exercise that is edited and
/// handed in; the contract is in two_streams.cuh, the task in README.md.
#include "two_streams.cuh"

// >>> your code
#include <atomic>

constexpr unsigned int block_threads = 256;

struct two_streams_state {
  std::uint32_t* numbers = nullptr;
  cudaStream_t copies = nullptr, work = nullptr;
  std::atomic<int> steps{0};
};

/// Called by the stream when all before it is done.
static void step_is_over(void* data) {
  ++*static_cast<std::atomic<int>*>(data);
}

extern "C" two_streams_state* two_streams_setup(std::size_t n) {
  auto* const state = new two_streams_state;
  if (n > 0) cudaMalloc(&state->numbers, n * sizeof(std::uint32_t));
  cudaStreamCreateWithFlags(&state->copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&state->work, cudaStreamNonBlocking);
  return state;
}

extern "C" void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  if (n == 0) return;
  const std::size_t bytes = n * sizeof(std::uint32_t);
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  state->steps = 0;
  cudaMemcpyAsync(state->numbers, in, bytes, cudaMemcpyHostToDevice, state->copies);
  cudaLaunchHostFunc(state->copies, step_is_over, &state->steps);
  while (state->steps < 1) {  // right, but this is the host that waits, and no call says so
  }
  encode<<<blocks, block_threads, 0, state->work>>>(state->numbers, n, key);
  cudaLaunchHostFunc(state->work, step_is_over, &state->steps);
  while (state->steps < 2) {
  }
  cudaMemcpyAsync(out, state->numbers, bytes, cudaMemcpyDeviceToHost, state->copies);
}

extern "C" void two_streams_teardown(two_streams_state* state) {
  cudaStreamDestroy(state->copies);
  cudaStreamDestroy(state->work);
  cudaFree(state->numbers);
  delete state;
}
// <<< your code

// expect: pass
/// @file
/// Sound in another style: ordinary streams, and the kernel on the default stream, which waits for both of them and both for it. No
/// event is needed, and nothing overlaps.
#include "two_streams.cuh"

struct two_streams_state {
  std::uint32_t* numbers;
  cudaStream_t up, down;
};

extern "C" two_streams_state* two_streams_setup(std::size_t n) {
  auto* const state = new two_streams_state{};
  if (n > 0) cudaMalloc(&state->numbers, 4 * n);
  cudaStreamCreate(&state->up);
  cudaStreamCreate(&state->down);
  return state;
}

extern "C" void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  if (n == 0) return;
  cudaMemcpyAsync(state->numbers, in, 4 * n, cudaMemcpyHostToDevice, state->up);
  encode<<<static_cast<unsigned int>((n + 255) / 256), 256>>>(state->numbers, n, key);
  cudaMemcpyAsync(out, state->numbers, 4 * n, cudaMemcpyDeviceToHost, state->down);
}

extern "C" void two_streams_teardown(two_streams_state* state) {
  cudaStreamDestroy(state->up);
  cudaStreamDestroy(state->down);
  cudaFree(state->numbers);
  delete state;
}

// expect: pass
/// @file
/// Sound in another style: memory from the stream's pool, one event for the whole way up, one for the whole way back, both made and
/// given back in the run; four kernels on streams of their own in between.
#include "two_streams.cuh"

struct two_streams_state {
  cudaStream_t copies, work[4];
};

extern "C" two_streams_state* two_streams_setup(std::size_t) {
  auto* const state = new two_streams_state{};
  cudaStreamCreateWithFlags(&state->copies, cudaStreamNonBlocking);
  for (auto& stream : state->work) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return state;
}

extern "C" void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  if (n == 0) return;
  std::uint32_t* numbers = nullptr;
  cudaMallocAsync(&numbers, 4 * n, state->copies);
  cudaMemcpyAsync(numbers, in, 4 * n, cudaMemcpyHostToDevice, state->copies);
  cudaEvent_t here = nullptr;
  cudaEventCreateWithFlags(&here, cudaEventDisableTiming);
  cudaEventRecord(here, state->copies);
  for (std::size_t part = 0; part < 4; ++part) {
    const std::size_t at = n * part / 4, count = n * (part + 1) / 4 - at;
    if (count == 0) continue;
    cudaStreamWaitEvent(state->work[part], here);
    encode<<<static_cast<unsigned int>((count + 63) / 64), 64, 0, state->work[part]>>>(numbers + at, count,
                                                                                       key);
    cudaEvent_t done = nullptr;
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    cudaEventRecord(done, state->work[part]);
    cudaStreamWaitEvent(state->copies, done);
    cudaEventDestroy(done);  // it lives until it has been reached
  }
  cudaMemcpyAsync(out, numbers, 4 * n, cudaMemcpyDeviceToHost, state->copies);
  cudaFreeAsync(numbers, state->copies);
  cudaEventDestroy(here);
}

extern "C" void two_streams_teardown(two_streams_state* state) {
  cudaStreamDestroy(state->copies);
  for (const auto stream : state->work) cudaStreamDestroy(stream);
  delete state;
}

// expect: race
// says: kernel scramble
/// @file
/// An event that is recorded before the copy that it is to stand for: the kernel waits for nothing.
#include "overlap_pipeline.cuh"

constexpr std::size_t chunks = 20;

struct overlap_pipeline_state {
  std::uint32_t* numbers = nullptr;
  cudaStream_t up{}, work{}, down{};
  cudaEvent_t here[chunks], done[chunks];
};

extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t n) {
  auto* const state = new overlap_pipeline_state;
  if (n > 0) cudaMalloc(&state->numbers, 4 * n);
  for (auto* stream : {&state->up, &state->work, &state->down})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  for (auto& event : state->here) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  for (auto& event : state->done) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  return state;
}

extern "C" void overlap_pipeline_run(overlap_pipeline_state* state, const std::uint32_t* in,
                                     std::uint32_t* out, std::size_t n, std::uint32_t rounds) {
  // The last run's way down must be over before this run's numbers come up to the same place.
  if (n > 0) cudaStreamSynchronize(state->down);
  for (std::size_t c = 0; c < chunks; ++c) {
    const std::size_t first = n * c / chunks, count = n * (c + 1) / chunks - first;
    if (count == 0) continue;
    cudaEventRecord(state->here[c], state->up);
    cudaMemcpyAsync(state->numbers + first, in + first, 4 * count, cudaMemcpyHostToDevice, state->up);
    cudaStreamWaitEvent(state->work, state->here[c]);
    scramble<<<static_cast<unsigned int>((count + 127) / 128), 128, 0, state->work>>>(state->numbers + first,
                                                                                      count, rounds);
    cudaEventRecord(state->done[c], state->work);
    cudaStreamWaitEvent(state->down, state->done[c]);
    cudaMemcpyAsync(out + first, state->numbers + first, 4 * count, cudaMemcpyDeviceToHost, state->down);
  }
}

extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* state) {
  for (const auto event : state->here) cudaEventDestroy(event);
  for (const auto event : state->done) cudaEventDestroy(event);
  for (const auto stream : {state->up, state->work, state->down}) cudaStreamDestroy(stream);
  cudaFree(state->numbers);
  delete state;
}

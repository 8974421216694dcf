// expect: race
// says: The host writes
/// @file
/// One page-locked buffer of its own for all chunks, filled again while the copy before may still read it.
#include "overlap_pipeline.cuh"

#include <cstring>

constexpr std::size_t chunk = 4096;

struct overlap_pipeline_state {
  std::uint32_t *numbers = nullptr, *staging = nullptr;
  cudaStream_t stream{};
};

extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t n) {
  auto* const state = new overlap_pipeline_state;
  if (n > 0) cudaMalloc(&state->numbers, 4 * n);
  cudaMallocHost(&state->staging, 4 * chunk);
  cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking);
  return state;
}

extern "C" void overlap_pipeline_run(overlap_pipeline_state* state, const std::uint32_t* in,
                                     std::uint32_t* out, std::size_t n, std::uint32_t rounds) {
  for (std::size_t first = 0; first < n; first += chunk) {
    const std::size_t count = n - first < chunk ? n - first : chunk;
    std::uint32_t* const numbers = state->numbers + first;
    std::memcpy(state->staging, in + first, 4 * count);
    cudaMemcpyAsync(numbers, state->staging, 4 * count, cudaMemcpyHostToDevice, state->stream);
    scramble<<<static_cast<unsigned int>((count + 127) / 128), 128, 0, state->stream>>>(numbers, count,
                                                                                        rounds);
    cudaMemcpyAsync(out + first, numbers, 4 * count, cudaMemcpyDeviceToHost, state->stream);
  }
}

extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* state) {
  cudaStreamDestroy(state->stream);
  cudaFreeHost(state->staging);
  cudaFree(state->numbers);
  delete state;
}

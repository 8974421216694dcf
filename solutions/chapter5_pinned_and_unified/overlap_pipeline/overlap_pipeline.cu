/// @file
/// overlap_pipeline: up, work, down, all at once. The one file of this exercise that is edited and handed in; the
/// contract is in overlap_pipeline.cuh, the task in README.md.
#include "overlap_pipeline.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

constexpr std::size_t chunk_count = 48;
constexpr std::size_t smallest_chunk =
    16384;  // numbers; with 64 KB a copy takes about as long to start as to make

/// @return numbers in a chunk. The first one's way up and the last one's way down overlap with nothing, so chunks should
/// be many; each costs a fixed time to start, so they should not be small. Whole blocks, so that only the last chunk
/// is ragged.
static std::size_t chunk_of(std::size_t n) {
  std::size_t chunk = (n + chunk_count - 1) / chunk_count;
  if (chunk < smallest_chunk) chunk = smallest_chunk;
  return (chunk + block_threads - 1) / block_threads * block_threads;
}

/// What lives from set-up to teardown: a stream for each engine, and for each chunk what the next engine waits for.
struct overlap_pipeline_state {
  std::uint32_t* numbers = nullptr;  ///< device memory, for all of them
  cudaStream_t up = nullptr, work = nullptr, down = nullptr;
  cudaEvent_t is_up[chunk_count] = {}, is_scrambled[chunk_count] = {};
};

extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t n) {
  auto* const state = new overlap_pipeline_state;
  if (n > 0) cudaMalloc(&state->numbers, n * sizeof(std::uint32_t));
  for (cudaStream_t* const stream : {&state->up, &state->work, &state->down})
    cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking);
  for (std::size_t k = 0; k < chunk_count; ++k) {
    cudaEventCreateWithFlags(&state->is_up[k], cudaEventDisableTiming);  // nobody asks when
    cudaEventCreateWithFlags(&state->is_scrambled[k], cudaEventDisableTiming);
  }
  return state;
}

extern "C" void overlap_pipeline_run(overlap_pipeline_state* state, const std::uint32_t* in,
                                     std::uint32_t* out, std::size_t n, std::uint32_t rounds) {
  const std::size_t chunk = chunk_of(n);
  for (std::size_t k = 0, first = 0; first < n; ++k, first += chunk) {
    // Each engine takes the chunks in turn and is never held up by another's: a chunk that is done waits in the next one's line.
    const std::size_t count = n - first < chunk ? n - first : chunk;
    const std::size_t bytes = count * sizeof(std::uint32_t);
    const std::size_t blocks = (count + block_threads - 1) / block_threads;
    std::uint32_t* const numbers = state->numbers + first;
    cudaMemcpyAsync(numbers, in + first, bytes, cudaMemcpyHostToDevice, state->up);
    cudaEventRecord(state->is_up[k], state->up);
    cudaStreamWaitEvent(state->work, state->is_up[k], 0);
    scramble<<<static_cast<unsigned int>(blocks), block_threads, 0, state->work>>>(numbers, count, rounds);
    cudaEventRecord(state->is_scrambled[k], state->work);
    cudaStreamWaitEvent(state->down, state->is_scrambled[k], 0);
    cudaMemcpyAsync(out + first, numbers, bytes, cudaMemcpyDeviceToHost, state->down);
  }
}

extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* state) {
  for (std::size_t k = 0; k < chunk_count; ++k) {
    cudaEventDestroy(state->is_up[k]);
    cudaEventDestroy(state->is_scrambled[k]);
  }
  for (const cudaStream_t stream : {state->up, state->work, state->down}) cudaStreamDestroy(stream);
  cudaFree(state->numbers);
  delete state;
}
// <<< your code

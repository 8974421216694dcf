/// @file
/// overlap_pipeline: up, work, down, all at once. The one file of this exercise that is edited and handed in; the
/// contract is in overlap_pipeline.cuh, the task in README.md.
#include "overlap_pipeline.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

constexpr unsigned int stream_count =
    4;  // one for each engine, and one whose next chunk waits for the first that is free
constexpr std::size_t chunk_count = 32;
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

/// What lives from set-up to teardown.
struct overlap_pipeline_state {
  std::uint32_t* numbers = nullptr;  ///< device memory, for all of them
  cudaStream_t streams[stream_count] = {};
};

extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t n) {
  auto* const state = new overlap_pipeline_state;
  if (n > 0) cudaMalloc(&state->numbers, n * sizeof(std::uint32_t));
  for (cudaStream_t& stream : state->streams) cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  return state;
}

extern "C" void overlap_pipeline_run(overlap_pipeline_state* state, const std::uint32_t* in,
                                     std::uint32_t* out, std::size_t n, std::uint32_t rounds) {
  const std::size_t chunk = chunk_of(n);
  unsigned int turn = 0;
  for (std::size_t first = 0; first < n; first += chunk) {
    // A chunk goes its whole way on one stream, which keeps its three steps in order. The next chunk takes the next
    // stream, so that no engine waits for the one before.
    const cudaStream_t stream = state->streams[turn++ % stream_count];
    const std::size_t count = n - first < chunk ? n - first : chunk;
    const std::size_t bytes = count * sizeof(std::uint32_t);
    const std::size_t blocks = (count + block_threads - 1) / block_threads;
    std::uint32_t* const numbers = state->numbers + first;
    cudaMemcpyAsync(numbers, in + first, bytes, cudaMemcpyHostToDevice, stream);
    scramble<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(numbers, count, rounds);
    cudaMemcpyAsync(out + first, numbers, bytes, cudaMemcpyDeviceToHost, stream);
  }
}

extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* state) {
  for (const cudaStream_t stream : state->streams) cudaStreamDestroy(stream);
  cudaFree(state->numbers);
  delete state;
}
// <<< your code

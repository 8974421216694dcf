// expect: wasteful
/// @file
/// two_streams: copies on one stream, work on another, and one mistake. The one file of this exercise that is edited and
/// handed in; the contract is in two_streams.cuh, the task in README.md.
#include "two_streams.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

struct two_streams_state {
  std::uint32_t* numbers = nullptr;
  cudaStream_t copies = nullptr, work = nullptr;
};

extern "C" two_streams_state* two_streams_setup(std::size_t n) {
  auto* const state = new two_streams_state;
  if (n > 0) cudaMalloc(&state->numbers, 2 * n * sizeof(std::uint32_t));
  cudaStreamCreateWithFlags(&state->copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&state->work, cudaStreamNonBlocking);
  return state;
}

/// Encodes numbers from where they are, in host memory, to where they go, host memory too.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void encode_there(const std::uint32_t* in, std::uint32_t* out, std::size_t n, std::uint32_t key) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (in[i] ^ key) * 0x9e3779b1u + 1u;
}

extern "C" void two_streams_run(two_streams_state* state, const std::uint32_t* in, std::uint32_t* out,
                                std::size_t n, std::uint32_t key) {
  if (n == 0) return;
  const std::size_t bytes = n * sizeof(std::uint32_t);
  const auto blocks = static_cast<unsigned int>((n + block_threads - 1) / block_threads);
  // Copies for show: what comes up is used by nobody, and the way down goes over the same line twice.
  cudaMemcpyAsync(state->numbers, in, bytes, cudaMemcpyHostToDevice, state->copies);
  encode_there<<<blocks, block_threads, 0, state->work>>>(in, state->numbers + n, n, key);
  cudaMemcpyAsync(out, state->numbers + n, bytes, cudaMemcpyDeviceToHost, state->work);
}

extern "C" void two_streams_teardown(two_streams_state* state) {
  cudaStreamDestroy(state->copies);
  cudaStreamDestroy(state->work);
  cudaFree(state->numbers);
  delete state;
}
// <<< your code

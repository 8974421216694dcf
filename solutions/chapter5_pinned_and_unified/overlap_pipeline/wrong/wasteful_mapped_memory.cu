// expect: wasteful|too_slow
/// @file
/// overlap_pipeline: up, work, down, all at once. The one file of this exercise that is edited and handed in; the
/// contract is in overlap_pipeline.cuh, the task in README.md.
#include "overlap_pipeline.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// What lives from set-up to teardown: nothing.
struct overlap_pipeline_state {};

extern "C" overlap_pipeline_state* overlap_pipeline_setup(std::size_t) {
  return new overlap_pipeline_state;
}

/// Scrambles numbers that stay where they are, in host memory: right, and everything overlaps, but no copy engine
/// does any work, and every warp waits for the link.
/// Launch contract: one-dimensional grid of at least n threads.
__global__ void scramble_there(const std::uint32_t* in, std::uint32_t* out, std::size_t n,
                               std::uint32_t rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t x = in[i];
  for (std::uint32_t k = 0; k < rounds; ++k) x = (x ^ 0x9e3779b9u) * 0x85ebca6bu;
  out[i] = x;
}

extern "C" void overlap_pipeline_run(overlap_pipeline_state*, const std::uint32_t* in, std::uint32_t* out,
                                     std::size_t n, std::uint32_t rounds) {
  if (n == 0) return;
  void *from = nullptr, *to = nullptr;
  cudaHostGetDevicePointer(&from, const_cast<std::uint32_t*>(in), 0);
  cudaHostGetDevicePointer(&to, out, 0);
  const std::size_t blocks = (n + block_threads - 1) / block_threads;
  scramble_there<<<static_cast<unsigned int>(blocks), block_threads>>>(
      static_cast<const std::uint32_t*>(from), static_cast<std::uint32_t*>(to), n, rounds);
}

extern "C" void overlap_pipeline_teardown(overlap_pipeline_state* state) {
  delete state;
}
// <<< your code

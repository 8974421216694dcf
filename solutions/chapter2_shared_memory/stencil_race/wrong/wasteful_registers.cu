// expect: wasteful
/// @file
/// stencil_race: sums of seven neighbours from a tile, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in stencil_race.cuh, the task in README.md.
#include "stencil_race.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr int outputs_a_thread = 4;

/// Writes four neighbouring outputs a thread from registers. Right, and the fastest of all; but a repair that
/// throws the tile away does not say where its barrier stands.
/// Launch contract: one-dimensional grid of at least n / 4 threads, rounded up.
__global__ void stencil_race_kernel(const float* in, float* out, std::size_t n) {
  const std::size_t first = (std::size_t{blockIdx.x} * block_threads + threadIdx.x) * outputs_a_thread;
  if (first >= n) return;
  const float4* const center = reinterpret_cast<const float4*>(in + first);
  const float4 l = center[-1], c = center[0], r = center[1];

  const float middle = (c.x + c.y) + (c.z + c.w);  // in all four sums
  const float sums[outputs_a_thread] = {middle + ((l.y + l.z) + l.w), middle + ((l.z + l.w) + r.x),
                                        middle + ((l.w + r.x) + r.y), middle + ((r.x + r.y) + r.z)};
  for (int k = 0; k < outputs_a_thread; ++k)
    if (first + k < n) out[first + k] = sums[k];
}

extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  constexpr std::size_t outputs_a_block = std::size_t{block_threads} * outputs_a_thread;
  const std::size_t blocks = (n + outputs_a_block - 1) / outputs_a_block;
  stencil_race_kernel<<<static_cast<unsigned int>(blocks), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code

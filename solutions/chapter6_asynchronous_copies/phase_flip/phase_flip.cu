/// @file
/// phase_flip: a walk over tiles that the copy engine brings, and one mistake. The one file of this exercise that is
/// edited and handed in; the contract is in phase_flip.cuh, the task in README.md.
#include "phase_flip.cuh"

// >>> your code
constexpr std::uint32_t tile_floats = 2048;  // 8 KB, a multiple of 16 bytes
constexpr unsigned int stages = 4;           // three tiles on their way while one is used
constexpr unsigned int block_threads = 256;

/// Multiplies the tiles blockIdx.x, blockIdx.x + gridDim.x, ... through a ring of buffers, and what is left at the end
/// by hand. Launch contract: one-dimensional grid and blocks, block_threads threads a block; any number of blocks.
__global__ void __launch_bounds__(block_threads)
    phase_flip_kernel(float* __restrict__ out, const float* __restrict__ in, std::size_t n, float factor) {
  alignas(128) __shared__ float4 tile[stages][tile_floats / 4];
  __shared__ std::uint64_t full[stages];
  const std::size_t whole = n / 4 * 4;  // floats that bulk copies can bring
  if (threadIdx.x == 0)
    for (auto& barrier : full) barrier_init(&barrier);
  __syncthreads();

  const auto first_of = [](unsigned int k) {
    return (blockIdx.x + std::size_t{k} * gridDim.x) * tile_floats;
  };
  const auto floats_at = [=](std::size_t first) {
    return static_cast<std::uint32_t>(whole - first < tile_floats ? whole - first : tile_floats);
  };
  const auto fetch = [&](unsigned int k) {
    const std::size_t first = first_of(k);
    if (threadIdx.x != 0 || first >= whole) return;
    const std::uint32_t bytes = floats_at(first) * sizeof(float);
    expect_bytes(&full[k % stages], bytes);
    bulk_load(tile[k % stages], in + first, bytes, &full[k % stages]);
  };

  for (unsigned int k = 0; k < stages; ++k) fetch(k);
  for (unsigned int k = 0; first_of(k) < whole; ++k) {
    const std::size_t first = first_of(k);
    wait_phase(&full[k % stages], k / stages % 2);  // a barrier has a phase for each round of the ring
    auto* const to = reinterpret_cast<float4*>(out + first);
    const std::uint32_t vectors = floats_at(first) / 4;
    for (std::uint32_t v = threadIdx.x; v < vectors; v += block_threads) {
      const float4 x = tile[k % stages][v];
      to[v] = make_float4(factor * x.x, factor * x.y, factor * x.z, factor * x.w);
    }
    __syncthreads();  // all have read the buffer: it may be filled again
    fetch(k + stages);
  }

  const std::size_t i = whole + threadIdx.x;
  if (blockIdx.x == 0 && i < n) out[i] = factor * in[i];
}

extern "C" void phase_flip_run(float* out, const float* in, std::size_t n, float factor, unsigned int blocks,
                               cudaStream_t stream) {
  if (n == 0) return;
  const std::size_t tiles = (n + tile_floats - 1) / tile_floats;
  const auto grid = static_cast<unsigned int>(tiles < blocks ? tiles : blocks);
  phase_flip_kernel<<<grid, block_threads, 0, stream>>>(out, in, n, factor);
}
// <<< your code

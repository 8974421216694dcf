// expect: pass
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
#include <cooperative_groups.h>

constexpr unsigned int block_threads = 256;   // one for each entry of the table
constexpr unsigned int pixels_a_thread = 16;  // one load of 16 bytes

/// The new tones of four pixels, which lie in one word.
__device__ unsigned int look_up(const unsigned char* tones, unsigned int pixels) {
  unsigned int found = 0;
#pragma unroll
  for (unsigned int shift = 0; shift < 32; shift += 8)
    found |= static_cast<unsigned int>(tones[pixels >> shift & 0xff]) << shift;
  return found;
}

/// A grid that fits the device walks the pixels, 16 a thread and turn. Each block has a copy of the table.
/// Launch contract: one-dimensional grid of any size; blocks of block_threads threads.
__global__ void retone(const unsigned char* table, const unsigned char* in, unsigned char* out,
                       std::size_t n) {
  namespace cg = cooperative_groups;
  alignas(16) __shared__ unsigned char tones[256];
  const cg::thread_block block = cg::this_thread_block();
  tones[block.thread_rank()] = table[block.thread_rank()];
  block.sync();
  const cg::grid_group grid = cg::this_grid();
  const std::size_t vectors = n / pixels_a_thread;
  for (std::size_t i = grid.thread_rank(); i < vectors; i += grid.num_threads()) {
    uint4 pixels = reinterpret_cast<const uint4*>(in)[i];
    pixels = {look_up(tones, pixels.x), look_up(tones, pixels.y), look_up(tones, pixels.z),
              look_up(tones, pixels.w)};
    reinterpret_cast<uint4*>(out)[i] = pixels;
  }
  const std::size_t i = vectors * pixels_a_thread + grid.thread_rank();
  if (i < n) out[i] = tones[in[i]];
}

extern "C" void divergent_lookup_run(const unsigned char* table, const unsigned char* in, unsigned char* out,
                                     std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  int device = 0, sm_count = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, device);
  retone<<<static_cast<unsigned int>(4 * sm_count), block_threads, 0, stream>>>(table, in, out, n);
}
// <<< your code

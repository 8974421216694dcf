// expect: wasteful|too_slow constant_passes
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int pixels_a_thread = 16;  // one load of 16 bytes

__constant__ unsigned int wide_tones[256];
__device__ unsigned int staged[256];  // a kernel must not write constant memory

/// The new tones of four pixels, which lie in one word.
__device__ unsigned int look_up(unsigned int pixels) {
  unsigned int found = 0;
#pragma unroll
  for (unsigned int shift = 0; shift < 32; shift += 8)
    found |= static_cast<unsigned int>(wide_tones[pixels >> shift & 0xff]) << shift;
  return found;
}

/// As the starter, with a word for each tone: no two pixels share one, so there are more words than before.
/// Launch contract: one-dimensional grid of at least n / 16 threads, rounded up.
__global__ void retone(const unsigned char* in, unsigned char* out, std::size_t n) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * pixels_a_thread;
  if (first + pixels_a_thread <= n) {
    uint4 pixels = *reinterpret_cast<const uint4*>(in + first);
    pixels.x = look_up(pixels.x);
    pixels.y = look_up(pixels.y);
    pixels.z = look_up(pixels.z);
    pixels.w = look_up(pixels.w);
    *reinterpret_cast<uint4*>(out + first) = pixels;
  } else {
    for (std::size_t i = first; i < n; ++i) out[i] = static_cast<unsigned char>(wide_tones[in[i]]);
  }
}

/// Makes words of the bytes.
/// Launch contract: one block of 256 threads.
__global__ void widen(const unsigned char* table) {
  staged[threadIdx.x] = table[threadIdx.x];
}

/// Blocks whose threads take pixels_a_thread pixels each.
static unsigned int blocks_for(std::size_t n) {
  const std::size_t a_block = std::size_t{block_threads} * pixels_a_thread;
  return static_cast<unsigned int>((n + a_block - 1) / a_block);
}

extern "C" void divergent_lookup_run(const unsigned char* table, const unsigned char* in, unsigned char* out,
                                     std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  void* from = nullptr;
  cudaGetSymbolAddress(&from, staged);
  widen<<<1, 256, 0, stream>>>(table);
  cudaMemcpyToSymbolAsync(wide_tones, from, sizeof(wide_tones), 0, cudaMemcpyDeviceToDevice, stream);
  retone<<<blocks_for(n), block_threads, 0, stream>>>(in, out, n);
}
// <<< your code

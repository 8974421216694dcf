// expect: pass
// on gpu: too_slow
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int pixels_a_thread = 16;  // one load of 16 bytes

/// The new tones of four pixels: a lane keeps words lane and lane + 32 of the table, and hands them out.
__device__ unsigned int look_up(unsigned int low, unsigned int high, unsigned int pixels) {
  unsigned int found = 0;
#pragma unroll
  for (unsigned int shift = 0; shift < 32; shift += 8) {
    const unsigned int pixel = pixels >> shift & 0xff, word = pixel / 4;
    const unsigned int from_low = __shfl_sync(0xffffffffu, low, static_cast<int>(word % 32));
    const unsigned int from_high = __shfl_sync(0xffffffffu, high, static_cast<int>(word % 32));
    found |= ((word < 32 ? from_low : from_high) >> pixel % 4 * 8 & 0xff) << shift;
  }
  return found;
}

/// Sixteen pixels a thread. The table lies in the registers of each warp; all lanes take part in every shuffle.
/// Launch contract: one-dimensional grid of at least n / 16 threads, rounded up.
__global__ void retone(const unsigned char* table, const unsigned char* in, unsigned char* out,
                       std::size_t n) {
  const unsigned int lane = threadIdx.x % 32;
  const auto* const words = reinterpret_cast<const unsigned int*>(table);
  const unsigned int low = words[lane], high = words[lane + 32];
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * pixels_a_thread;
  const bool whole = first + pixels_a_thread <= n;
  uint4 pixels{0, 0, 0, 0};
  if (whole) pixels = *reinterpret_cast<const uint4*>(in + first);
  pixels.x = look_up(low, high, pixels.x);
  pixels.y = look_up(low, high, pixels.y);
  pixels.z = look_up(low, high, pixels.z);
  pixels.w = look_up(low, high, pixels.w);
  if (whole) {
    *reinterpret_cast<uint4*>(out + first) = pixels;
  } else {
    for (std::size_t i = first; i < n; ++i) out[i] = table[in[i]];
  }
}

/// Blocks whose threads take pixels_a_thread pixels each.
static unsigned int blocks_for(std::size_t n) {
  const std::size_t a_block = std::size_t{block_threads} * pixels_a_thread;
  return static_cast<unsigned int>((n + a_block - 1) / a_block);
}

extern "C" void divergent_lookup_run(const unsigned char* table, const unsigned char* in, unsigned char* out,
                                     std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  retone<<<blocks_for(n), block_threads, 0, stream>>>(table, in, out, n);
}
// <<< your code

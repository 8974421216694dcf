// expect: wrong_result work_off_device
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int pixels_a_thread = 16;  // one load of 16 bytes

/// The table as a kernel's parameter: those lie in constant memory as well.
struct table_of_tones {
  unsigned char tones[256];
};

/// The new tones of four pixels, which lie in one word.
__device__ unsigned int look_up(const table_of_tones& table, unsigned int pixels) {
  unsigned int found = 0;
#pragma unroll
  for (unsigned int shift = 0; shift < 32; shift += 8)
    found |= static_cast<unsigned int>(table.tones[pixels >> shift & 0xff]) << shift;
  return found;
}

/// Sixteen pixels a thread. The table comes by value, and each different word of it is a pass all the same.
/// Launch contract: one-dimensional grid of at least n / 16 threads, rounded up.
__global__ void retone(const __grid_constant__ table_of_tones table, const unsigned char* in,
                       unsigned char* out, std::size_t n) {
  const std::size_t first = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * pixels_a_thread;
  if (first + pixels_a_thread <= n) {
    uint4 pixels = *reinterpret_cast<const uint4*>(in + first);
    pixels.x = look_up(table, pixels.x);
    pixels.y = look_up(table, pixels.y);
    pixels.z = look_up(table, pixels.z);
    pixels.w = look_up(table, pixels.w);
    *reinterpret_cast<uint4*>(out + first) = pixels;
  } else {
    for (std::size_t i = first; i < n; ++i) out[i] = table.tones[in[i]];
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
  table_of_tones by_value;
  cudaMemcpyAsync(by_value.tones, table, sizeof(by_value.tones), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  retone<<<blocks_for(n), block_threads, 0, stream>>>(by_value, in, out, n);
}
// <<< your code

// expect: pass
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;
constexpr unsigned int pixels_a_thread = 32;  // two loads of 16 bytes, a block apart

/// The new tones of four pixels, which lie in one word.
__device__ unsigned int look_up(const unsigned char* table, unsigned int pixels) {
  unsigned int found = 0;
#pragma unroll
  for (unsigned int shift = 0; shift < 32; shift += 8)
    found |= static_cast<unsigned int>(table[pixels >> shift & 0xff]) << shift;
  return found;
}

/// Thirty-two pixels a thread, in two loads and two stores of 16 bytes. The table stays where it is: its two lines are soon in
/// L1, which serves different words of a line to different lanes. The pixels pass by once, and say so.
/// Launch contract: one-dimensional grid of at least n / 32 threads, rounded up, in whole blocks.
__global__ void retone(const unsigned char* __restrict__ table, const unsigned char* __restrict__ in,
                       unsigned char* __restrict__ out, std::size_t n) {
  constexpr std::size_t apart = 16 * block_threads;  // bytes from a thread's first vector to its second
  const std::size_t first = std::size_t{blockIdx.x} * 2 * apart + 16 * threadIdx.x;
  if (first + apart + 16 <= n) {
    uint4 one = __ldcs(reinterpret_cast<const uint4*>(in + first));
    uint4 two = __ldcs(reinterpret_cast<const uint4*>(in + first + apart));
    one = {look_up(table, one.x), look_up(table, one.y), look_up(table, one.z), look_up(table, one.w)};
    two = {look_up(table, two.x), look_up(table, two.y), look_up(table, two.z), look_up(table, two.w)};
    __stcs(reinterpret_cast<uint4*>(out + first), one);
    __stcs(reinterpret_cast<uint4*>(out + first + apart), two);
    return;
  }
  for (std::size_t begin = first; begin <= first + apart; begin += apart)
    for (std::size_t i = begin; i < n && i < begin + 16; ++i) out[i] = table[in[i]];
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

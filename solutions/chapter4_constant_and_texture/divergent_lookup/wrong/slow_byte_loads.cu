// expect: too_slow|wasteful
/// @file
/// divergent_lookup: each pixel gets the tone that a table has for it. The one file of this exercise that is edited
/// and handed in; the contract is in divergent_lookup.cuh, the task in README.md.
#include "divergent_lookup.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;  // one for each entry of the table

/// One pixel a thread. Right, and the table is in a good place, but a thread has one byte in flight.
/// Launch contract: one-dimensional grid of at least n threads; blocks of block_threads threads.
__global__ void retone(const unsigned char* table, const unsigned char* in, unsigned char* out,
                       std::size_t n) {
  alignas(16) __shared__ unsigned char tones[256];
  tones[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tones[in[i]];
}

extern "C" void divergent_lookup_run(const unsigned char* table, const unsigned char* in, unsigned char* out,
                                     std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  retone<<<static_cast<unsigned int>((n + block_threads - 1) / block_threads), block_threads, 0, stream>>>(
      table, in, out, n);
}
// <<< your code

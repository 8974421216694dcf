/// @file
/// dynamic_tile: moving sums whose radius only the launch knows. The one file of this exercise that is edited and
/// handed in; the contract is in dynamic_tile.cuh, the task in README.md.
#include "dynamic_tile.cuh"

// >>> your code
constexpr unsigned int block_threads = 256;

/// Writes dynamic_tile_outputs moving sums a block, from a tile whose size the launch decides.
/// Launch contract: one-dimensional grid of at least n / dynamic_tile_outputs blocks of block_threads threads, with
/// the tile's bytes as dynamic shared memory.
__global__ void dynamic_tile_kernel(const float* in, float* out, std::size_t n, std::size_t radius) {
  // TODO: declare a tile whose size is not written here; bring what this block's outputs need, zeros where the
  // array has nothing; then add up.
}

extern "C" int dynamic_tile_run(const float* in, float* out, std::size_t n, std::size_t radius,
                                cudaStream_t stream) {
  // TODO: how many bytes has the tile? Can a block of this device have them? What must the kernel be told before a
  // launch with more than 48 KB? Return cudaErrorInvalidValue where the tile does not fit, else cudaSuccess.
  return cudaSuccess;
}
// <<< your code

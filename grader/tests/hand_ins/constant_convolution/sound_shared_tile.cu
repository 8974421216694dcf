// expect: pass
/// @file
/// constant_convolution: an image filtered by 5 x 5 weights that are the same for all. The one file of this
/// exercise that is edited and handed in; the contract is in constant_convolution.cuh, the task in README.md.
#include "constant_convolution.cuh"

// >>> your code
#include <cooperative_groups.h>

constexpr int taps = 5;   // rows and columns of the filter
constexpr int reach = 2;  // how far it looks to each side

/// The weights: all lanes ask for the same one at the same time.
__constant__ float weights[taps * taps];

constexpr int block_width = 32, block_height = 16;
constexpr int tile_width = block_width + 2 * reach, tile_height = block_height + 2 * reach;

/// Writes one pixel a thread, from a tile with its halo in shared memory.
/// Launch contract: two-dimensional grid of blocks of block_width x block_height threads that cover the image.
__global__ void convolve(const float* in, float* out, int width, int height) {
  namespace cg = cooperative_groups;
  const cg::thread_block block = cg::this_thread_block();
  alignas(16) __shared__ float tile[tile_height][tile_width];
  const int left = static_cast<int>(blockIdx.x) * block_width - reach;
  const int top = static_cast<int>(blockIdx.y) * block_height - reach;
  for (int k = static_cast<int>(block.thread_rank()); k < tile_width * tile_height;
       k += block_width * block_height) {
    const int row = top + k / tile_width, column = left + k % tile_width;
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    tile[k / tile_width][k % tile_width] = inside ? in[std::size_t{1} * row * width + column] : 0.0f;
  }
  block.sync();
  const int tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
  const int x = left + reach + tx, y = top + reach + ty;
  if (x >= width || y >= height) return;
  float sum = 0.0f;
#pragma unroll
  for (int r = 0; r < taps; ++r)
#pragma unroll
    for (int c = 0; c < taps; ++c) sum += weights[r * taps + c] * tile[ty + r][tx + c];
  out[std::size_t{1} * y * width + x] = sum;
}

extern "C" void constant_convolution_setup(const float* filter, cudaStream_t stream) {
  cudaMemcpyToSymbolAsync(weights, filter, sizeof(weights), 0, cudaMemcpyDeviceToDevice, stream);
}

extern "C" void constant_convolution_run(const float* in, float* out, std::size_t width, std::size_t height,
                                         cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const dim3 block(block_width, block_height);
  const dim3 grid(static_cast<unsigned int>((width + block.x - 1) / block.x),
                  static_cast<unsigned int>((height + block.y - 1) / block.y));
  convolve<<<grid, block, 0, stream>>>(in, out, static_cast<int>(width), static_cast<int>(height));
}
// <<< your code

// expect: wasteful
// on gpu: wasteful|too_slow
/// @file
/// tma_pipeline: a stencil whose boxes come by tensor copies. The one file of this exercise that is edited and handed in; the
/// contract is in tma_pipeline.cuh, the task in README.md.
#include "tma_pipeline.cuh"

// >>> your code
#include <cuda_pipeline.h>

constexpr unsigned int box_width = tma_pipeline_box_width, box_height = tma_pipeline_box_height;
constexpr unsigned int tile_width = tma_pipeline_tile_width, tile_height = tma_pipeline_tile_height;
constexpr std::uint32_t box_bytes = box_width * box_height * sizeof(float);
constexpr unsigned int workers = 16;  // warps that compute
constexpr unsigned int block_threads = 32 * workers;
constexpr unsigned int stages = 3;

/// The outputs of the tile at column @p x and row @p y, from its @p box. Called by all lanes of the warps 0 to workers - 1, as @p warp.
__device__ void put_tile(float* out, const float* box, unsigned int x, unsigned int y, unsigned int width,
                         unsigned int height, float rate, unsigned int warp) {
  for (unsigned int row = warp; row < tile_height && y + row < height; row += workers) {
    for (unsigned int column = threadIdx.x % 32; column < tile_width && x + column < width; column += 32) {
      const float* const c = box + (row + tma_pipeline_above) * box_width + column + tma_pipeline_left;
      const float around = c[-static_cast<int>(box_width)] + c[-1] + c[1] + c[box_width];
      out[std::size_t{y + row} * width + x + column] = c[0] + rate * (around - 4.0f * c[0]);
    }
  }
}

/// A ring of three boxes that cp.async brings: right, and as much is on its way, but each thread computes addresses and looks where the
/// image ends. Launch contract: one-dimensional grid and blocks, block_threads threads a block, stages x box_bytes of dynamic shared
/// memory; any number of blocks.
__global__ void __launch_bounds__(block_threads)
    tma_pipeline_kernel(float* out, const float* in, unsigned int width, unsigned int height, float rate,
                        unsigned int across, unsigned int tiles) {
  extern __shared__ __align__(128) float boxes[];
  const auto ask = [&](unsigned int k) {
    const unsigned int t = blockIdx.x + k * gridDim.x;
    if (t < tiles) {
      float* const box = boxes + k % stages * box_width * box_height;
      const int x = static_cast<int>(t % across * tile_width) - static_cast<int>(tma_pipeline_left);
      const int y = static_cast<int>(t / across * tile_height) - static_cast<int>(tma_pipeline_above);
      for (unsigned int v = threadIdx.x; v < box_width * box_height / 4; v += block_threads) {
        const int column = x + static_cast<int>(4 * v % box_width),
                  row = y + static_cast<int>(4 * v / box_width);
        const bool inside =
            column >= 0 && column < static_cast<int>(width) && row >= 0 && row < static_cast<int>(height);
        const float* const from = inside ? in + static_cast<std::size_t>(row) * width + column : in;
        __pipeline_memcpy_async(box + 4 * v, from, 16, inside ? 0 : 16);
      }
    }
    __pipeline_commit();
  };
  for (unsigned int k = 0; k + 1 < stages; ++k) ask(k);
  for (unsigned int k = 0; blockIdx.x + k * gridDim.x < tiles; ++k) {
    __pipeline_wait_prior(stages - 2);
    __syncthreads();
    ask(k + stages - 1);
    const unsigned int t = blockIdx.x + k * gridDim.x;
    put_tile(out, boxes + k % stages * box_width * box_height, t % across * tile_width,
             t / across * tile_height, width, height, rate, threadIdx.x / 32);
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const auto across = static_cast<unsigned int>((width + tile_width - 1) / tile_width);
  const auto tiles = static_cast<unsigned int>(across * ((height + tile_height - 1) / tile_height));
  const unsigned int grid = tiles < blocks ? tiles : blocks;
  cudaFuncSetAttribute(tma_pipeline_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * box_bytes);
  tma_pipeline_kernel<<<grid, block_threads, stages * box_bytes, stream>>>(
      out, in, static_cast<unsigned int>(width), static_cast<unsigned int>(height), rate, across, tiles);
}
// <<< your code

/// @file
/// tma_pipeline: a stencil whose boxes come by tensor copies. The one file of this exercise that is edited and handed in; the
/// contract is in tma_pipeline.cuh, the task in README.md.
#include "tma_pipeline.cuh"

// >>> your code
constexpr unsigned int box_width = tma_pipeline_box_width, box_height = tma_pipeline_box_height;
constexpr unsigned int tile_width = tma_pipeline_tile_width, tile_height = tma_pipeline_tile_height;
constexpr std::uint32_t box_bytes = box_width * box_height * sizeof(float);
constexpr unsigned int workers = 8;                         // warps that compute
constexpr unsigned int block_threads = 32 * (workers + 1);  // and one that asks
constexpr unsigned int stages = 4;                          // boxes in shared memory

/// The outputs of the tile at column @p x and row @p y, from its @p box. Called by all lanes of the warps 0 to workers - 1, as @p warp. The
/// four outputs of a lane in a row do not depend on each other: unrolled, their twenty loads are under way together.
__device__ void put_tile(float* out, const float* box, unsigned int x, unsigned int y, unsigned int width,
                         unsigned int height, float rate, unsigned int warp) {
  for (unsigned int row = warp; row < tile_height && y + row < height; row += workers) {
#pragma unroll
    for (unsigned int column = threadIdx.x % 32; column < tile_width && x + column < width; column += 32) {
      const float* const c = box + (row + tma_pipeline_above) * box_width + column + tma_pipeline_left;
      const float around = c[-static_cast<int>(box_width)] + c[-1] + c[1] + c[box_width];
      out[std::size_t{y + row} * width + x + column] = c[0] + rate * (around - 4.0f * c[0]);
    }
  }
}

/// The tiles blockIdx.x, blockIdx.x + gridDim.x, ..., counted along the rows, @p across in a row of tiles. The last warp asks for boxes, the
/// others compute. Launch contract: one-dimensional grid and blocks, block_threads threads a block, stages x box_bytes of dynamic shared
/// memory; any number of blocks.
__global__ void __launch_bounds__(block_threads)
    tma_pipeline_kernel(float* out, const __grid_constant__ CUtensorMap map, unsigned int width,
                        unsigned int height, float rate, unsigned int across, unsigned int tiles) {
  extern __shared__ __align__(128) float boxes[];  // stages of them
  __shared__ std::uint64_t full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (unsigned int s = 0; s < stages; ++s) {
      barrier_init(&full[s]);            // the producer arrives, and a box comes
      barrier_init(&empty[s], workers);  // one lane of each worker arrives
    }
  }
  __syncthreads();

  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned int k = 0;  // counts this block's tiles
  if (warp == workers) {
    if (lane != 0) return;
    for (unsigned int t = blockIdx.x; t < tiles; t += gridDim.x, ++k) {
      const unsigned int s = k % stages;
      if (k >= stages) wait_phase(&empty[s], (k / stages - 1) % 2);  // the round before this one
      expect_bytes(&full[s], box_bytes);  // the whole box, also what lies outside the image
      tensor_load(boxes + s * box_width * box_height, &map,
                  static_cast<int>(t % across * tile_width) - static_cast<int>(tma_pipeline_left),
                  static_cast<int>(t / across * tile_height) - static_cast<int>(tma_pipeline_above),
                  &full[s]);
    }
  } else {
    for (unsigned int t = blockIdx.x; t < tiles; t += gridDim.x, ++k) {
      const unsigned int s = k % stages;
      wait_phase(&full[s], k / stages % 2);
      put_tile(out, boxes + s * box_width * box_height, t % across * tile_width, t / across * tile_height,
               width, height, rate, warp);
      __syncwarp();  // all lanes have read it
      if (lane == 0) arrive(&empty[s]);
    }
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const CUtensorMap map = image_map(in, width, height);
  const auto across = static_cast<unsigned int>((width + tile_width - 1) / tile_width);
  const auto tiles = static_cast<unsigned int>(across * ((height + tile_height - 1) / tile_height));
  const unsigned int grid = tiles < blocks ? tiles : blocks;
  cudaFuncSetAttribute(tma_pipeline_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       stages * box_bytes);  // more than 48 KB have to be asked for
  tma_pipeline_kernel<<<grid, block_threads, stages * box_bytes, stream>>>(
      out, map, static_cast<unsigned int>(width), static_cast<unsigned int>(height), rate, across, tiles);
}
// <<< your code

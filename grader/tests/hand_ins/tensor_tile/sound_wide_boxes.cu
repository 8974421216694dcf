// expect: pass
/// @file
/// Sound in another style: boxes as wide as a box may be, 256 columns and 8 rows. Each holds a strip of several tiles, and threads carry
/// its pieces of 16 bytes to their places.
#include <cuda.h>

#include "tensor_tile.cuh"

struct tensor_tile_state {
  CUtensorMap map;
};

__global__ void __launch_bounds__(256) cut(uint4* tiles, const __grid_constant__ CUtensorMap map,
                                           unsigned int across, unsigned int element_bytes) {
  __shared__ alignas(128) uint4 strip[8 * 256 * 4 / 16];
  __shared__ std::uint64_t full;
  const unsigned int row_pieces = 256 * element_bytes / 16, pieces = 8 * row_pieces;
  if (threadIdx.x == 0) {
    barrier_init(&full);
    expect_bytes(&full, 16 * pieces);
    tensor_load(strip, &map, static_cast<int>(256 * blockIdx.x), static_cast<int>(8 * blockIdx.y), &full);
  }
  __syncthreads();
  wait_phase(&full, 0);
  for (unsigned int k = threadIdx.x; k < pieces; k += blockDim.x) {
    const unsigned int row = k / row_pieces + 8 * blockIdx.y,
                       piece = k % row_pieces + row_pieces * blockIdx.x;
    if (piece / 8 < across)
      tiles[256 * (row / 32 * std::size_t{across} + piece / 8) + row % 32 * 8 + piece % 8] = strip[k];
  }
}

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t width, std::size_t height,
                                                std::size_t pitch, std::size_t element_bytes) {
  if (width * height == 0) return nullptr;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {width, height}, strides[] = {pitch};
  const cuuint32_t box[] = {256, 8}, steps[] = {1, 1};
  auto* const state = new tensor_tile_state;
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &state->map, element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
      const_cast<void*>(image), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return state;
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  if (width * height == 0) return;
  const std::size_t row = 128 / element_bytes;
  // Rows of the last tiles that no element is in have zeros, too.
  const dim3 blocks(static_cast<unsigned int>((width + 255) / 256),
                    static_cast<unsigned int>((height + 31) / 32 * 4));
  cut<<<blocks, 256, 0, stream>>>(static_cast<uint4*>(tiles), state->map,
                                  static_cast<unsigned int>((width + row - 1) / row),
                                  static_cast<unsigned int>(element_bytes));
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  delete state;
}

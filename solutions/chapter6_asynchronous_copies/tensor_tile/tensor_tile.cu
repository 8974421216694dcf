/// @file
/// tensor_tile: an image cut into tiles by the copy engine. The one file of this exercise that is edited and handed
/// in; the contract is in tensor_tile.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "tensor_tile.cuh"

// >>> your code
#include <cstdio>

constexpr std::uint32_t tile_bytes = tensor_tile_row_bytes * tensor_tile_rows;
constexpr unsigned int stages = 2;  // one tile comes while another leaves
constexpr unsigned int tiles_a_block =
    10;  // as bulk_copy's reference, which was measured; here it is not yet
constexpr unsigned int block_threads = 32;  // one of them drives the copies

/// What lives from set-up to teardown, one for each image.
struct tensor_tile_state {
  CUtensorMap map;
};

/// Takes the tiles blockIdx.x, blockIdx.x + gridDim.x, ... through a ring of buffers: each comes as one box, and leaves in a row.
/// Launch contract: one-dimensional grid and blocks, block_threads threads a block, any number of blocks; across, tiles: tiles side by
/// side, and in all; row_elements: elements in 128 bytes. 8 KB of shared memory and few registers, so that some 24 blocks share an SM.
__global__ void __launch_bounds__(block_threads)
    tensor_tile_kernel(char* __restrict__ out, const __grid_constant__ CUtensorMap map, unsigned int across,
                       unsigned int tiles, unsigned int row_elements) {
  alignas(128) __shared__ char tile[stages][tile_bytes];
  __shared__ std::uint64_t full[stages];
  if (threadIdx.x != 0) return;
  for (unsigned int s = 0; s < stages; ++s) barrier_init(&full[s]);  // only this thread uses them
  const auto fetch = [&](unsigned int k) {
    const unsigned int number = blockIdx.x + k * gridDim.x;
    if (number >= tiles) return;
    expect_bytes(&full[k % stages], tile_bytes);
    tensor_load(tile[k % stages], &map, static_cast<int>(number % across * row_elements),
                static_cast<int>(number / across * tensor_tile_rows), &full[k % stages]);
  };

  for (unsigned int k = 0; k < stages; ++k) fetch(k);
  for (unsigned int k = 0, number = blockIdx.x; number < tiles; ++k, number += gridDim.x) {
    wait_phase(&full[k % stages], k / stages % 2);  // a barrier's phases are counted by rounds of the ring
    bulk_store(out + std::size_t{number} * tile_bytes, tile[k % stages], tile_bytes);
    bulk_store_wait_read<0>();  // reading 4 KB of shared memory is short beside a trip to DRAM
    fetch(k + stages);
  }
}

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t width, std::size_t height,
                                                std::size_t pitch, std::size_t element_bytes) {
  if (width == 0 || height == 0) return nullptr;  // there is nothing to describe
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t asked =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  if (asked != cudaSuccess || encode == nullptr) {
    std::fprintf(stderr, "tensor_tile: this driver makes no tensor maps\n");
    return nullptr;
  }

  const auto row_elements = static_cast<cuuint32_t>(tensor_tile_row_bytes / element_bytes);
  const cuuint64_t sizes[] = {width, height};  // the innermost dimension first
  const cuuint64_t strides[] = {pitch};        // bytes; the innermost dimension has none
  const cuuint32_t box[] = {row_elements, tensor_tile_rows};
  const cuuint32_t steps[] = {1, 1};
  auto* const state = new tensor_tile_state;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &state->map, element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2,
      const_cast<void*>(image), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return state;
  std::fprintf(stderr, "tensor_tile: cuTensorMapEncodeTiled says %d\n", static_cast<int>(result));
  delete state;
  return nullptr;
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* out, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  if (state == nullptr) return;  // no element, no tile
  const auto row_elements = static_cast<unsigned int>(tensor_tile_row_bytes / element_bytes);
  const auto across = static_cast<unsigned int>((width + row_elements - 1) / row_elements);
  const auto down = static_cast<unsigned int>((height + tensor_tile_rows - 1) / tensor_tile_rows);
  const unsigned int tiles = across * down;  // at most 2^22
  const unsigned int blocks = (tiles + tiles_a_block - 1) / tiles_a_block;
  tensor_tile_kernel<<<blocks, block_threads, 0, stream>>>(static_cast<char*>(out), state->map, across, tiles,
                                                           row_elements);
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  delete state;
}
// <<< your code

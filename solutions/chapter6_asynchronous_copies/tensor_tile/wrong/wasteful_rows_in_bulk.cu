// expect: wasteful
// says: 0 % of the bytes come by tensor copies
/// @file
/// tensor_tile: an image cut into tiles by the copy engine. The one file of this exercise that is edited and handed
/// in; the contract is in tensor_tile.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "tensor_tile.cuh"

// >>> your code
constexpr std::uint32_t tile_bytes = tensor_tile_row_bytes * tensor_tile_rows;
constexpr unsigned int block_threads = 32;  // each drives one row

struct tensor_tile_state {
  const char* image;
  std::size_t pitch;
};

/// A bulk copy for each row of a tile, and what is left of a row by hand: right, and the copy engine does it all; but 32 copies with
/// bounds tests are what a box replaces. Launch contract: a block for each tile, grid (across, down), 32 threads.
__global__ void tensor_tile_kernel(char* tiles, const char* image, std::size_t pitch, std::size_t row_bytes,
                                   std::size_t height) {
  alignas(128) __shared__ char tile[tensor_tile_rows][tensor_tile_row_bytes];
  __shared__ std::uint64_t full;
  const unsigned int row = threadIdx.x;
  const std::size_t y = std::size_t{blockIdx.y} * tensor_tile_rows + row;
  const std::size_t at = std::size_t{blockIdx.x} * tensor_tile_row_bytes;
  const char* const from = image + y * pitch + at;
  const std::size_t left = y >= height ? 0 : row_bytes - at;
  const auto inside = static_cast<std::uint32_t>(left < tensor_tile_row_bytes ? left : tensor_tile_row_bytes);
  const std::uint32_t in_bulk = inside / 16 * 16;

  if (row == 0) barrier_init(&full, block_threads);
  __syncthreads();
  expect_bytes(&full, in_bulk);  // one arrival a lane
  if (in_bulk > 0) bulk_load(tile[row], from, in_bulk, &full);
  for (std::uint32_t k = in_bulk; k < tensor_tile_row_bytes; k += 2)
    *reinterpret_cast<unsigned short*>(tile[row] + k) =
        k < inside ? *reinterpret_cast<const unsigned short*>(from + k) : 0;
  writes_for_copies();
  wait_phase(&full, 0);
  __syncthreads();
  if (row != 0) return;
  const std::size_t number = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
  bulk_store(tiles + number * tile_bytes, tile, tile_bytes);
  bulk_store_wait_read<0>();
}

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t, std::size_t,
                                                std::size_t pitch, std::size_t) {
  return new tensor_tile_state{static_cast<const char*>(image), pitch};
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const std::size_t row_bytes = width * element_bytes;
  const dim3 blocks(
      static_cast<unsigned int>((row_bytes + tensor_tile_row_bytes - 1) / tensor_tile_row_bytes),
      static_cast<unsigned int>((height + tensor_tile_rows - 1) / tensor_tile_rows));
  tensor_tile_kernel<<<blocks, block_threads, 0, stream>>>(static_cast<char*>(tiles), state->image,
                                                           state->pitch, row_bytes, height);
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  delete state;
}
// <<< your code

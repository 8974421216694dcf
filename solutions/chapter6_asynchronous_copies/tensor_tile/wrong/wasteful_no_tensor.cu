// expect: too_slow|wasteful
/// @file
/// tensor_tile: an image cut into tiles by the copy engine. The one file of this exercise that is edited and handed
/// in; the contract is in tensor_tile.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "tensor_tile.cuh"

// >>> your code
constexpr std::uint32_t tile_bytes = tensor_tile_row_bytes * tensor_tile_rows;
constexpr unsigned int block_threads = 256;
constexpr unsigned int chunk_bytes = 16;
constexpr unsigned int row_chunks = tensor_tile_row_bytes / chunk_bytes;

struct tensor_tile_state {
  const char* image;
  std::size_t pitch;
};

/// One chunk of 16 bytes a thread: right and fast, and no byte comes by a tensor copy. Rows begin at multiples of 16 bytes, so a
/// chunk lies inside, outside, or is the last one of its row. Launch contract: a block for each tile, grid (across, down), 256 threads.
__global__ void tensor_tile_kernel(char* tiles, const char* image, std::size_t pitch, std::size_t row_bytes,
                                   std::size_t height) {
  const unsigned int row = threadIdx.x / row_chunks, chunk = threadIdx.x % row_chunks;
  const std::size_t y = std::size_t{blockIdx.y} * tensor_tile_rows + row;
  const std::size_t at = std::size_t{blockIdx.x} * tensor_tile_row_bytes + chunk * chunk_bytes;
  uint4 value = {};
  if (y < height && at + chunk_bytes <= row_bytes) {
    value = *reinterpret_cast<const uint4*>(image + y * pitch + at);
  } else if (y < height) {
    auto* const part = reinterpret_cast<unsigned short*>(&value);
    for (unsigned int k = 0; k < chunk_bytes / 2 && at + 2 * k < row_bytes; ++k)
      part[k] = *reinterpret_cast<const unsigned short*>(image + y * pitch + at + 2 * k);
  }
  const std::size_t number = std::size_t{blockIdx.y} * gridDim.x + blockIdx.x;
  reinterpret_cast<uint4*>(tiles + number * tile_bytes)[threadIdx.x] = value;
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

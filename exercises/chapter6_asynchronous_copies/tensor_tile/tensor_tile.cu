/// @file
/// tensor_tile: an image cut into tiles by the copy engine. The one file of this exercise that is edited and handed
/// in; the contract is in tensor_tile.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "tensor_tile.cuh"

// >>> your code
/// What lives from set-up to teardown, one for each image.
struct tensor_tile_state {
  // TODO 1: what does the copy engine have to know about the image?
};

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t width, std::size_t height,
                                                std::size_t pitch, std::size_t element_bytes) {
  // TODO 2: describe the image to the copy engine, once: a map of it, whose box is one tile. cuTensorMapEncodeTiled is a
  // function of the driver; ask the runtime for it, by name, and look at what it returns. There are images of floats
  // and of halves, and some without any element.
  return nullptr;
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  // TODO 3: write and launch a kernel that brings each tile as one box, and sends it to its place. Who tells the
  // barrier how much comes, and how much is it at the image's edge? The functions are in copy_engine.cuh.
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  // TODO 4: free what set-up made.
}
// <<< your code

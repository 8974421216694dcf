/// @file
/// texture_resize: an image at twice its size, filtered by the texture unit. The one file of this exercise that
/// is edited and handed in; the contract is in texture_resize.cuh, the task in README.md.
#include "texture_resize.cuh"

// >>> your code
/// What lives from set-up to teardown, one for each image.
struct texture_resize_state {
  // TODO 1: what must the texture unit have to find the image, and what must teardown have to free it?
};

extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  // TODO 2: put the image where the texture unit reads it best, and describe how it is to be read: by which
  // coordinates, with which filter, and what lies outside. Everything is done when this function returns.
  return nullptr;
}

extern "C" void texture_resize_run(texture_resize_state* state, float* out, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  // TODO 3: write and launch a kernel in which each pixel of out is one fetch. Which point of the image does
  // pixel (x, y) ask for?
}

extern "C" void texture_resize_teardown(texture_resize_state* state) {
  // TODO 4: free what set-up made.
}
// <<< your code

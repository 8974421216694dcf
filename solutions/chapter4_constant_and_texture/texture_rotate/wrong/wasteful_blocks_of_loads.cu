// expect: wasteful|too_slow
// says: filtered fetches an output
/// @file
/// texture_rotate: an image turned about its centre. The one file of this exercise that is edited and handed in; the
/// contract is in texture_rotate.cuh, the task in README.md.
#include "texture_rotate.cuh"

// >>> your code
#include <cmath>

/// What lives from set-up to teardown, one for each image.
struct texture_rotate_state {
  const float* image = nullptr;
};

constexpr unsigned int block_columns = 8, block_rows = 32;

/// A texel, or 0 outside the image.
__device__ float texel(const float* image, int width, int height, int column, int row) {
  const bool inside = column >= 0 && column < width && row >= 0 && row < height;
  return inside ? image[std::size_t{1} * row * width + column] : 0.0f;
}

/// Writes one pixel a thread, from four loads, a column of pixels a warp: near a right angle that is a row of the
/// image. Right, and the best that loads by hand can do there; but this exercise is about the texture unit.
/// Launch contract: two-dimensional grid of blocks of block_columns x block_rows threads, in one dimension.
__global__ void rotate(const float* image, float* out, int width, int height, float cosine, float sine) {
  const int x = static_cast<int>(blockIdx.x * block_columns + threadIdx.x / block_rows);
  const int y = static_cast<int>(blockIdx.y * block_rows + threadIdx.x % block_rows);
  if (x >= width || y >= height) return;
  const float centre_x = 0.5f * static_cast<float>(width), centre_y = 0.5f * static_cast<float>(height);
  const float dx = static_cast<float>(x) + 0.5f - centre_x, dy = static_cast<float>(y) + 0.5f - centre_y;
  const float u = centre_x + (cosine * dx + sine * dy), v = centre_y + (cosine * dy - sine * dx);
  const float left = floorf(u - 0.5f), top = floorf(v - 0.5f);
  const float a = u - 0.5f - left, b = v - 0.5f - top;  // parts of the right and of the lower texels
  const int column = static_cast<int>(left), row = static_cast<int>(top);
  const float upper = (1.0f - a) * texel(image, width, height, column, row) +
                      a * texel(image, width, height, column + 1, row);
  const float lower = (1.0f - a) * texel(image, width, height, column, row + 1) +
                      a * texel(image, width, height, column + 1, row + 1);
  out[std::size_t{1} * y * width + x] = (1.0f - b) * upper + b * lower;
}

extern "C" texture_rotate_state* texture_rotate_setup(const float* in, std::size_t, std::size_t) {
  return new texture_rotate_state{in};
}

extern "C" void texture_rotate_run(texture_rotate_state* state, float* out, std::size_t width,
                                   std::size_t height, float angle, cudaStream_t stream) {
  const dim3 blocks(static_cast<unsigned int>((width + block_columns - 1) / block_columns),
                    static_cast<unsigned int>((height + block_rows - 1) / block_rows));
  rotate<<<blocks, block_columns * block_rows, 0, stream>>>(
      state->image, out, static_cast<int>(width), static_cast<int>(height), std::cos(angle), std::sin(angle));
}

extern "C" void texture_rotate_teardown(texture_rotate_state* state) {
  delete state;
}
// <<< your code

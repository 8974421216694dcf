/// @file
/// texture_rotate: an image turned about its centre. The one file of this exercise that is edited and handed in; the
/// contract is in texture_rotate.cuh, the task in README.md.
#include "texture_rotate.cuh"

// >>> your code
#include <cmath>

/// What lives from set-up to teardown, one for each image.
struct texture_rotate_state {
  cudaArray_t array = nullptr;
  cudaTextureObject_t texture = 0;
};

constexpr int block_columns = 32, block_rows = 4;
constexpr int pixels_a_thread = 8;  // one above the other, block_rows apart

/// Writes eight pixels a thread, each of them one filtered fetch. All eight are on their way before the first is stored.
/// Launch contract: two-dimensional grid of blocks of block_columns x block_rows threads; a block covers pixels_a_thread times
/// as many rows.
__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height, float cosine,
                       float sine) {
  const int x = static_cast<int>(blockIdx.x) * block_columns + static_cast<int>(threadIdx.x);
  const int first =
      static_cast<int>(blockIdx.y) * block_rows * pixels_a_thread + static_cast<int>(threadIdx.y);
  if (x >= width) return;
  const float centre_x = 0.5f * static_cast<float>(width), centre_y = 0.5f * static_cast<float>(height);
  const float dx = static_cast<float>(x) + 0.5f - centre_x;
  float pixels[pixels_a_thread];
#pragma unroll
  for (int k = 0; k < pixels_a_thread; ++k) {
    const float dy = static_cast<float>(first + k * block_rows) + 0.5f - centre_y;
    pixels[k] =
        tex2D<float>(image, centre_x + (cosine * dx + sine * dy), centre_y + (cosine * dy - sine * dx));
  }
#pragma unroll
  for (int k = 0; k < pixels_a_thread; ++k) {
    const int y = first + k * block_rows;
    if (y < height) out[std::size_t{1} * y * width + x] = pixels[k];
  }
}

extern "C" texture_rotate_state* texture_rotate_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* const state = new texture_rotate_state;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&state->array, &texel, width, height);
  const std::size_t row = width * sizeof(float);  // bytes
  cudaMemcpy2DToArray(state->array, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);  // a copy within the device does not hold the host up

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = state->array;
  cudaTextureDesc reading{};
  reading.normalizedCoords = 0;  // coordinates count texels
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = cudaAddressModeBorder;  // outside is 0
  reading.addressMode[1] = cudaAddressModeBorder;
  reading.readMode = cudaReadModeElementType;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  return state;
}

extern "C" void texture_rotate_run(texture_rotate_state* state, float* out, std::size_t width,
                                   std::size_t height, float angle, cudaStream_t stream) {
  const dim3 threads(block_columns, block_rows);
  constexpr unsigned int rows_a_block = block_rows * pixels_a_thread;
  const dim3 blocks(static_cast<unsigned int>((width + block_columns - 1) / block_columns),
                    static_cast<unsigned int>((height + rows_a_block - 1) / rows_a_block));
  rotate<<<blocks, threads, 0, stream>>>(state->texture, out, static_cast<int>(width),
                                         static_cast<int>(height), std::cos(angle), std::sin(angle));
}

extern "C" void texture_rotate_teardown(texture_rotate_state* state) {
  cudaDestroyTextureObject(state->texture);
  cudaFreeArray(state->array);
  delete state;
}
// <<< your code

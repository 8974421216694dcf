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

constexpr int block_columns = 8, block_rows = 32;  // a warp is 8 threads wide and 4 high
constexpr int pixels_a_thread = 4;                 // side by side

/// Writes four neighbouring pixels of a row a thread: four fetches are on their way before the first is needed, and the pixels
/// leave in one 16-byte store. The lanes of a warp lie in a square of their own: at every angle their points stay close together.
/// Launch contract: two-dimensional grid of blocks of block_columns x block_rows threads; a block covers pixels_a_thread times
/// as many columns.
/// @tparam whole_vectors rows have a multiple of 4 pixels, so that each begins at a multiple of 16 bytes
template <bool whole_vectors>
__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height, float cosine,
                       float sine) {
  const int x =
      (static_cast<int>(blockIdx.x) * block_columns + static_cast<int>(threadIdx.x)) * pixels_a_thread;
  const int y = static_cast<int>(blockIdx.y) * block_rows + static_cast<int>(threadIdx.y);
  if (x >= width || y >= height) return;
  const float centre_x = 0.5f * static_cast<float>(width), centre_y = 0.5f * static_cast<float>(height);
  const float dy = static_cast<float>(y) + 0.5f - centre_y;
  float pixels[pixels_a_thread];
#pragma unroll
  for (int k = 0; k < pixels_a_thread; ++k) {
    const float dx = static_cast<float>(x + k) + 0.5f - centre_x;
    pixels[k] =
        tex2D<float>(image, centre_x + (cosine * dx + sine * dy), centre_y + (cosine * dy - sine * dx));
  }
  float* const to = out + std::size_t{1} * y * width + x;
  if constexpr (whole_vectors) {
    *reinterpret_cast<float4*>(to) = float4{pixels[0], pixels[1], pixels[2], pixels[3]};
  } else {
#pragma unroll
    for (int k = 0; k < pixels_a_thread; ++k)
      if (x + k < width) to[k] = pixels[k];
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
  constexpr unsigned int columns_a_block = block_columns * pixels_a_thread;
  const dim3 blocks(static_cast<unsigned int>((width + columns_a_block - 1) / columns_a_block),
                    static_cast<unsigned int>((height + block_rows - 1) / block_rows));
  const auto turn = width % pixels_a_thread == 0 ? rotate<true> : rotate<false>;
  turn<<<blocks, threads, 0, stream>>>(state->texture, out, static_cast<int>(width), static_cast<int>(height),
                                       std::cos(angle), std::sin(angle));
}

extern "C" void texture_rotate_teardown(texture_rotate_state* state) {
  cudaDestroyTextureObject(state->texture);
  cudaFreeArray(state->array);
  delete state;
}
// <<< your code

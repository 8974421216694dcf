/// @file
/// resize_half_texel: an image at another size, and three mistakes. The one file of this exercise that is edited and
/// handed in; the contract is in resize_half_texel.cuh, the task in README.md.
#include "resize_half_texel.cuh"

// >>> your code
/// What lives from set-up to teardown, one for each image.
struct resize_half_texel_state {
  cudaArray_t array = nullptr;  ///< the texels; the texture object only refers to them
  cudaTextureObject_t texture = 0;
};

constexpr unsigned int pixels_a_thread = 4;

/// Writes four pixels of a row a thread, 32 pixels apart, so that the lanes of a warp store side by side whatever the rows'
/// alignment. Four fetches are on their way before the first is needed. One fetch a pixel all the same.
/// Launch contract: blocks of 32 x 8 threads; two-dimensional grid, x along rows, that covers out_width / 4 (rounded up to
/// whole blocks) x out_height threads.
__global__ void resize(cudaTextureObject_t image, float* out, unsigned int out_width,
                       unsigned int out_height) {
  const unsigned int x = blockIdx.x * warpSize * pixels_a_thread + threadIdx.x;
  const unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (y >= out_height) return;
  const float v = (static_cast<float>(y) + 0.5f) / static_cast<float>(out_height);
  float* const row = out + std::size_t{y} * out_width;
  if (x + 3 * warpSize < out_width) {
    float pixels[pixels_a_thread];
    for (unsigned int k = 0; k < pixels_a_thread; ++k) {
      const unsigned int of = x + k * warpSize;
      pixels[k] = tex2D<float>(image, (static_cast<float>(of) + 0.5f) / static_cast<float>(out_width), v);
    }
    for (unsigned int k = 0; k < pixels_a_thread; ++k) row[x + k * warpSize] = pixels[k];
    return;
  }
  for (unsigned int of = x; of < out_width; of += warpSize)  // the end of a row
    row[of] = tex2D<float>(image, (static_cast<float>(of) + 0.5f) / static_cast<float>(out_width), v);
}

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  auto* const state = new resize_half_texel_state;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&state->array, &texel, width, height);
  const std::size_t row = width * sizeof(float);  // bytes
  cudaMemcpy2DToArray(state->array, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);  // a copy within the device does not hold the host up

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = state->array;
  cudaTextureDesc reading{};
  reading.normalizedCoords = 1;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = cudaAddressModeClamp;
  reading.addressMode[1] = cudaAddressModeClamp;
  reading.readMode = cudaReadModeElementType;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  const dim3 threads(32, 8);
  const std::size_t pixels_a_row_of_threads = threads.x * pixels_a_thread;
  const dim3 blocks(
      static_cast<unsigned int>((out_width + pixels_a_row_of_threads - 1) / pixels_a_row_of_threads),
      static_cast<unsigned int>((out_height + threads.y - 1) / threads.y));
  resize<<<blocks, threads, 0, stream>>>(state->texture, out, static_cast<unsigned int>(out_width),
                                         static_cast<unsigned int>(out_height));
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaDestroyTextureObject(state->texture);  // this frees no texel
  cudaFreeArray(state->array);
  delete state;
}
// <<< your code

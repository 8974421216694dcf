/// @file
/// resize_half_texel: an image at another size, and three mistakes. The one file of this exercise that is edited and
/// handed in; the contract is in resize_half_texel.cuh, the task in README.md.
#include "resize_half_texel.cuh"

// >>> your code
/// What lives from set-up to teardown, one for each image.
struct resize_half_texel_state {
  cudaTextureObject_t texture = 0;
};

/// Writes one pixel a thread, each of them one filtered fetch.
/// Launch contract: two-dimensional grid and blocks that cover out_width x out_height threads, x along rows.
// TODO: the picture looks right, as long as it is small and nobody looks closely. Find out which point of the image
// each thread asks for, which pixel it writes, and what is left when all is over.
__global__ void resize(cudaTextureObject_t image, float* out, unsigned int out_width,
                       unsigned int out_height) {
  const unsigned int x = threadIdx.x;
  const unsigned int y = threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const float u = static_cast<float>(x) / static_cast<float>(out_width);
  const float v = static_cast<float>(y) / static_cast<float>(out_height);
  out[std::size_t{y} * out_width + x] = tex2D<float>(image, u, v);
}

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &texel, width, height);
  const std::size_t row = width * sizeof(float);  // bytes
  cudaMemcpy2DToArray(array, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  cudaStreamSynchronize(nullptr);  // a copy within the device does not hold the host up

  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc reading{};
  reading.normalizedCoords = 1;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = cudaAddressModeClamp;
  reading.addressMode[1] = cudaAddressModeClamp;
  reading.readMode = cudaReadModeElementType;
  auto* const state = new resize_half_texel_state;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  const dim3 threads(32, 8);
  const dim3 blocks(static_cast<unsigned int>((out_width + threads.x - 1) / threads.x),
                    static_cast<unsigned int>((out_height + threads.y - 1) / threads.y));
  resize<<<blocks, threads, 0, stream>>>(state->texture, out, static_cast<unsigned int>(out_width),
                                         static_cast<unsigned int>(out_height));
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaDestroyTextureObject(state->texture);
  delete state;
}
// <<< your code

// expect: pass
/// @file
/// The state holds the texture object alone, as in the starter. Teardown asks the object which array it reads, and frees that.
/// The array is filled by a copy on a stream of its own.
#include "resize_half_texel.cuh"

struct resize_half_texel_state {
  cudaTextureObject_t texture;
};

__global__ void resize(cudaTextureObject_t image, float* out, unsigned int width, unsigned int height) {
  const std::size_t pixels = std::size_t{width} * height;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto x = static_cast<float>(i % width), y = static_cast<float>(i / width);
    out[i] = tex2D<float>(image, (2 * x + 1) / (2 * static_cast<float>(width)),
                          (2 * y + 1) / (2 * static_cast<float>(height)));
  }
}

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&resource.res.array.array, &texel, width, height);
  cudaStream_t own = nullptr;
  cudaStreamCreate(&own);
  cudaMemcpy2DToArrayAsync(resource.res.array.array, 0, 0, in, width * sizeof(float), width * sizeof(float),
                           height, cudaMemcpyDeviceToDevice, own);
  cudaStreamSynchronize(own);
  cudaStreamDestroy(own);
  cudaTextureDesc reading{};
  reading.normalizedCoords = 1;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  auto* const state = new resize_half_texel_state{};
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  int device = 0, sms = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
  resize<<<4 * sms, 256, 0, stream>>>(state->texture, out, static_cast<unsigned int>(out_width),
                                      static_cast<unsigned int>(out_height));
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaResourceDesc resource{};
  cudaGetTextureObjectResourceDesc(&resource, state->texture);
  cudaDestroyTextureObject(state->texture);
  cudaFreeArray(resource.res.array.array);
  delete state;
}

// expect: pass
/// @file
/// Sound in another style: the texture lies over pitched memory, coordinates count texels, and each thread makes a column of
/// four pixels.
#include "resize_half_texel.cuh"

struct resize_half_texel_state {
  float* image = nullptr;
  cudaTextureObject_t texture = 0;
  float width = 0, height = 0;
};

__global__ void resize(cudaTextureObject_t image, float* out, int out_width, int out_height, float across,
                       float down) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = 4 * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out_width) return;
  for (int y = first; y < min(first + 4, out_height); ++y)
    out[std::size_t(y) * out_width + x] = tex2D<float>(image, across * (x + 0.5f), down * (y + 0.5f));
}

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  auto* const state = new resize_half_texel_state;
  state->width = static_cast<float>(width);
  state->height = static_cast<float>(height);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = width;
  resource.res.pitch2D.height = height;
  cudaMallocPitch(&state->image, &resource.res.pitch2D.pitchInBytes, width * sizeof(float), height);
  resource.res.pitch2D.devPtr = state->image;
  cudaMemcpy2D(state->image, resource.res.pitch2D.pitchInBytes, in, width * sizeof(float),
               width * sizeof(float), height, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaTextureDesc reading{};
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  const dim3 threads(128, 2);
  const dim3 blocks(static_cast<unsigned int>((out_width + 127) / 128),
                    static_cast<unsigned int>((out_height + 7) / 8));
  resize<<<blocks, threads, 0, stream>>>(
      state->texture, out, static_cast<int>(out_width), static_cast<int>(out_height),
      state->width / static_cast<float>(out_width), state->height / static_cast<float>(out_height));
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaDestroyTextureObject(state->texture);
  cudaFree(state->image);
  delete state;
}

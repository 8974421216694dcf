// expect: pass
/// @file
/// Sound in another style: the texture lies over pitched memory, coordinates count texels, and each thread makes a column of
/// four pixels.
#include "texture_resize.cuh"

struct texture_resize_state {
  float* image = nullptr;
  cudaTextureObject_t texture = 0;
};

__global__ void enlarge(cudaTextureObject_t image, float* out, int out_width, int out_height) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int first = 4 * static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= out_width) return;
  for (int y = first; y < min(first + 4, out_height); ++y)
    out[std::size_t(y) * out_width + x] = tex2D<float>(image, 0.5f * (x + 0.5f), 0.5f * (y + 0.5f));
}

extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* const state = new texture_resize_state;
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

extern "C" void texture_resize_run(texture_resize_state* state, float* out, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  const dim3 threads(128, 2);
  const dim3 blocks(static_cast<unsigned int>((2 * width + 127) / 128),
                    static_cast<unsigned int>((2 * height + 7) / 8));
  enlarge<<<blocks, threads, 0, stream>>>(state->texture, out, static_cast<int>(2 * width),
                                          static_cast<int>(2 * height));
}

extern "C" void texture_resize_teardown(texture_resize_state* state) {
  cudaDestroyTextureObject(state->texture);
  cudaFree(state->image);
  delete state;
}

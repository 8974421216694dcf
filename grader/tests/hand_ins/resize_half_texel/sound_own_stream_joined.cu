// expect: pass
/// @file
/// Coordinates are computed in double precision. The left half is made on the caller's stream, the right half on a stream of
/// the hand-in's own, which is joined to the caller's.
#include "resize_half_texel.cuh"

namespace {

__global__ void resize(cudaTextureObject_t image, float* out, unsigned int first, unsigned int past,
                       unsigned int width, unsigned int height) {
  const unsigned int x = first + blockIdx.x * 64 + threadIdx.x;
  if (x >= past) return;
  for (unsigned int y = blockIdx.y; y < height; y += gridDim.y)
    out[std::size_t{y} * width + x] =
        tex2D<float>(image, static_cast<float>((x + 0.5) / width), static_cast<float>((y + 0.5) / height));
}

}  // namespace

struct resize_half_texel_state {
  cudaArray_t texels = nullptr;
  cudaTextureObject_t image = 0;
  cudaStream_t own = nullptr;
  cudaEvent_t ready = nullptr, done = nullptr;
};

extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t width,
                                                            std::size_t height) {
  auto* const state = new resize_half_texel_state;
  const cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
  cudaMallocArray(&state->texels, &texel, width, height);
  const std::size_t row = width * sizeof(float);
  cudaMemcpy2DToArray(state->texels, 0, 0, in, row, row, height, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = state->texels;
  cudaTextureDesc reading{};
  reading.normalizedCoords = 1;
  reading.filterMode = cudaFilterModeLinear;
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
  cudaCreateTextureObject(&state->image, &resource, &reading, nullptr);
  cudaStreamCreateWithFlags(&state->own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&state->ready, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&state->done, cudaEventDisableTiming);
  return state;
}

extern "C" void resize_half_texel_run(resize_half_texel_state* state, float* out, std::size_t out_width,
                                      std::size_t out_height, cudaStream_t stream) {
  const auto width = static_cast<unsigned int>(out_width), height = static_cast<unsigned int>(out_height);
  const unsigned int half = width / 2, rows = height < 512 ? height : 512;
  cudaEventRecord(state->ready, stream);
  cudaStreamWaitEvent(state->own, state->ready, 0);
  if (half > 0)
    resize<<<dim3((half + 63) / 64, rows), 64, 0, stream>>>(state->image, out, 0, half, width, height);
  resize<<<dim3((width - half + 63) / 64, rows), 64, 0, state->own>>>(state->image, out, half, width, width,
                                                                      height);
  cudaEventRecord(state->done, state->own);
  cudaStreamWaitEvent(stream, state->done, 0);
}

extern "C" void resize_half_texel_teardown(resize_half_texel_state* state) {
  cudaEventDestroy(state->ready);
  cudaEventDestroy(state->done);
  cudaStreamDestroy(state->own);
  cudaDestroyTextureObject(state->image);
  cudaFreeArray(state->texels);
  delete state;
}

// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: the texture lies over pitched memory, one fetch a thread in square blocks, on a stream of the state's own that
/// waits for the caller's and is waited for; sine and cosine are computed on the device.
#include "texture_rotate.cuh"

struct texture_rotate_state {
  float* image = nullptr;
  cudaTextureObject_t texture = 0;
  cudaStream_t own = nullptr;
  cudaEvent_t begun = nullptr, done = nullptr;
};

__global__ void rotate(cudaTextureObject_t image, float* out, int width, int height, float angle) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= width || y >= height) return;
  float sine, cosine;
  sincosf(angle, &sine, &cosine);
  const float dx = x + 0.5f - 0.5f * width, dy = y + 0.5f - 0.5f * height;
  out[std::size_t(y) * width + x] =
      tex2D<float>(image, 0.5f * width + cosine * dx + sine * dy, 0.5f * height - sine * dx + cosine * dy);
}

extern "C" texture_rotate_state* texture_rotate_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* const state = new texture_rotate_state;
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
  reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeBorder;
  cudaCreateTextureObject(&state->texture, &resource, &reading, nullptr);
  cudaStreamCreateWithFlags(&state->own, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&state->begun, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&state->done, cudaEventDisableTiming);
  return state;
}

extern "C" void texture_rotate_run(texture_rotate_state* state, float* out, std::size_t width,
                                   std::size_t height, float angle, cudaStream_t stream) {
  const dim3 threads(16, 16);
  const dim3 blocks(static_cast<unsigned int>((width + 15) / 16),
                    static_cast<unsigned int>((height + 15) / 16));
  cudaEventRecord(state->begun, stream);
  cudaStreamWaitEvent(state->own, state->begun, 0);
  rotate<<<blocks, threads, 0, state->own>>>(state->texture, out, static_cast<int>(width),
                                             static_cast<int>(height), angle);
  cudaEventRecord(state->done, state->own);
  cudaStreamWaitEvent(stream, state->done, 0);
}

extern "C" void texture_rotate_teardown(texture_rotate_state* state) {
  cudaEventDestroy(state->begun);
  cudaEventDestroy(state->done);
  cudaStreamDestroy(state->own);
  cudaDestroyTextureObject(state->texture);
  cudaFree(state->image);
  delete state;
}

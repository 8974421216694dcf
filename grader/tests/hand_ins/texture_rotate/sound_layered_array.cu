// expect: pass
/// @file
/// Sound in another style: a layered array of one layer, filled as a three-dimensional one; cudaLaunchKernelEx; blocks that walk.
#include <cmath>
#include <memory>
#include "texture_rotate.cuh"
struct texture_rotate_state {
  cudaArray_t array{};
  cudaTextureObject_t texture{};
  ~texture_rotate_state() {
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
  }
};
struct turn {
  float cx, cy, c, s;
};
__global__ void kernel(cudaTextureObject_t image, float* out, unsigned width, unsigned height, turn t) {
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y)
    for (unsigned x = blockIdx.x * blockDim.x + threadIdx.x; x < width; x += gridDim.x * blockDim.x) {
      const float dx = x + 0.5f - t.cx, dy = y + 0.5f - t.cy;
      out[std::size_t(y) * width + x] =
          tex2DLayered<float>(image, fmaf(t.s, dy, t.c * dx) + t.cx, fmaf(-t.s, dx, t.c * dy) + t.cy, 0);
    }
}
extern "C" texture_rotate_state* texture_rotate_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto state = std::make_unique<texture_rotate_state>();
  const auto desc = cudaCreateChannelDesc<float>();
  cudaMalloc3DArray(&state->array, &desc, make_cudaExtent(width, height, 1), cudaArrayLayered);
  cudaMemcpy3DParms p{};
  p.srcPtr = make_cudaPitchedPtr(const_cast<float*>(in), width * 4, width, height);
  p.dstArray = state->array;
  p.extent = make_cudaExtent(width, height, 1);
  p.kind = cudaMemcpyDeviceToDevice;
  cudaMemcpy3D(&p);
  cudaDeviceSynchronize();
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = state->array;
  cudaTextureDesc d{};
  d.filterMode = cudaFilterModeLinear;
  d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = cudaAddressModeBorder;
  cudaCreateTextureObject(&state->texture, &r, &d, nullptr);
  return state.release();
}
extern "C" void texture_rotate_run(texture_rotate_state* state, float* out, std::size_t width,
                                   std::size_t height, float angle, cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((unsigned)((width + 31) / 32), (unsigned)((height + 15) / 16));
  config.blockDim = dim3(32, 8);
  config.stream = stream;
  const turn t{width * 0.5f, height * 0.5f, cosf(angle), sinf(angle)};
  cudaLaunchKernelEx(&config, kernel, state->texture, out, (unsigned)width, (unsigned)height, t);
}
extern "C" void texture_rotate_teardown(texture_rotate_state* state) {
  delete state;
}

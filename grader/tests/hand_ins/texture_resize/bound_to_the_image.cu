// expect: wrong_result mismatch
/// @file
/// No copy where rows begin at multiples of 32 bytes: the texture is bound to the image itself, which the caller may
/// overwrite.
#include "texture_resize.cuh"
struct texture_resize_state {
  cudaTextureObject_t t = 0;
  float* own = nullptr;
};
__global__ void fetch(cudaTextureObject_t t, float* out, unsigned int w, unsigned int h) {
  const unsigned int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < w && y < h) out[std::size_t{y} * w + x] = tex2D<float>(t, (x + 0.5f) / w, (y + 0.5f) / h);
}
extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* s = new texture_resize_state;
  std::size_t pitch = width * 4;
  const float* from = in;
  if (pitch % 32 != 0) {
    cudaMallocPitch(&s->own, &pitch, width * 4, height);
    cudaMemcpy2D(s->own, pitch, in, width * 4, width * 4, height, cudaMemcpyDeviceToDevice);
    cudaDeviceSynchronize();
    from = s->own;
  }
  cudaResourceDesc r{};
  r.resType = cudaResourceTypePitch2D;
  r.res.pitch2D.devPtr = const_cast<float*>(from);
  r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  r.res.pitch2D.width = width;
  r.res.pitch2D.height = height;
  r.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc d{};
  d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
  d.filterMode = cudaFilterModeLinear;
  d.normalizedCoords = 1;
  cudaCreateTextureObject(&s->t, &r, &d, nullptr);
  return s;
}
extern "C" void texture_resize_run(texture_resize_state* s, float* out, std::size_t width, std::size_t height,
                                   cudaStream_t stream) {
  const auto w = static_cast<unsigned int>(2 * width), h = static_cast<unsigned int>(2 * height);
  fetch<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(s->t, out, w, h);
}
extern "C" void texture_resize_teardown(texture_resize_state* s) {
  cudaDestroyTextureObject(s->t);
  cudaFree(s->own);
  delete s;
}

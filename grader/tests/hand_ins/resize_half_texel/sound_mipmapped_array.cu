// expect: pass
/// @file
/// Sound in another style: a mipmapped array of one level, read by tex2DLod; rows are walked.
#include "resize_half_texel.cuh"
struct resize_half_texel_state {
  cudaMipmappedArray_t pyramid = nullptr;
  cudaTextureObject_t texture = 0;
  std::size_t w, h;
};
__global__ void kernel(cudaTextureObject_t image, float* out, unsigned w, unsigned h) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned y = blockIdx.y; y < h && i < w; y += gridDim.y)
    out[std::size_t(y) * w + i] =
        tex2DLod<float>(image, (2 * i + 1) / (2.0f * w), (2 * y + 1) / (2.0f * h), 0);
}
extern "C" resize_half_texel_state* resize_half_texel_setup(const float* in, std::size_t w, std::size_t h) {
  auto* s = new resize_half_texel_state;
  const auto d = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaMallocMipmappedArray(&s->pyramid, &d, make_cudaExtent(w, h, 0), 1, cudaArrayDefault);
  cudaArray_t level;
  cudaGetMipmappedArrayLevel(&level, s->pyramid, 0);
  cudaMemcpy2DToArray(level, 0, 0, in, w * 4, w * 4, h, cudaMemcpyDeviceToDevice);
  cudaDeviceSynchronize();
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeMipmappedArray;
  r.res.mipmap.mipmap = s->pyramid;
  cudaTextureDesc t{};
  t.normalizedCoords = 1;
  t.filterMode = cudaFilterModeLinear;
  t.mipmapFilterMode = cudaFilterModePoint;
  for (auto& m : t.addressMode) m = cudaAddressModeClamp;
  cudaCreateTextureObject(&s->texture, &r, &t, nullptr);
  return s;
}
extern "C" void resize_half_texel_run(resize_half_texel_state* s, float* out, std::size_t w, std::size_t h,
                                      cudaStream_t stream) {
  kernel<<<dim3((w + 127) / 128, h < 1000 ? h : 1000), 128, 0, stream>>>(s->texture, out, w, h);
}
extern "C" void resize_half_texel_teardown(resize_half_texel_state* s) {
  cudaDestroyTextureObject(s->texture);
  cudaFreeMipmappedArray(s->pyramid);
  delete s;
}

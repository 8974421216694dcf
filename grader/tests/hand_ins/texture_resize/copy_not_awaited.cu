// expect: race
/// @file
/// Set-up queues the copy on a stream of its own and returns; run works on another stream.
#include "texture_resize.cuh"
struct texture_resize_state {
  cudaArray_t a = nullptr;
  cudaTextureObject_t t = 0;
  cudaStream_t own = nullptr;
};
__global__ void enlarge(cudaTextureObject_t t, float* out, unsigned int w, unsigned int h) {
  const unsigned int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < w && y < h) out[std::size_t{y} * w + x] = tex2D<float>(t, (x + 0.5f) / w, (y + 0.5f) / h);
}
extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t width,
                                                      std::size_t height) {
  auto* s = new texture_resize_state;
  const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
  cudaMallocArray(&s->a, &f, width, height);
  cudaStreamCreateWithFlags(&s->own, cudaStreamNonBlocking);
  cudaMemcpy2DToArrayAsync(s->a, 0, 0, in, width * 4, width * 4, height, cudaMemcpyDeviceToDevice, s->own);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = s->a;
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
  enlarge<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8), 0, stream>>>(s->t, out, w, h);
}
extern "C" void texture_resize_teardown(texture_resize_state* s) {
  cudaDestroyTextureObject(s->t);
  cudaFreeArray(s->a);
  cudaStreamDestroy(s->own);
  delete s;
}

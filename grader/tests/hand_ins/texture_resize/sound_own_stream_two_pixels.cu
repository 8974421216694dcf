// expect: pass
/// @file
/// Sound in another style: two pixels a thread by unnormalised coordinates, on a stream of the state's own that is joined by events.
#include "texture_resize.cuh"
template <class T>
struct handle {
  T it{};
};
struct texture_resize_state {
  handle<cudaArray_t> array;
  handle<cudaTextureObject_t> texture;
  cudaStream_t own;
  cudaEvent_t there, back;
};
__global__ void kernel(cudaTextureObject_t image, float2* out, int width, int height) {
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= width || y >= 2 * height) return;
  float2 two;
  two.x = tex2D<float>(image, x + 0.25f, 0.5f * y + 0.25f);
  two.y = tex2D<float>(image, x + 0.75f, 0.5f * y + 0.25f);
  out[(size_t)y * width + x] = two;
}
extern "C" texture_resize_state* texture_resize_setup(const float* in, std::size_t w, std::size_t h) {
  auto* s = new texture_resize_state{};
  cudaStreamCreate(&s->own);
  cudaEventCreate(&s->there);
  cudaEventCreate(&s->back);
  auto d = cudaCreateChannelDesc<float>();
  cudaMallocArray(&s->array.it, &d, w, h);
  cudaMemcpy2DToArrayAsync(s->array.it, 0, 0, in, w * 4, w * 4, h, cudaMemcpyDeviceToDevice, s->own);
  cudaStreamSynchronize(s->own);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = s->array.it;
  cudaTextureDesc t{};
  t.filterMode = cudaFilterModeLinear;
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
  cudaCreateTextureObject(&s->texture.it, &r, &t, nullptr);
  return s;
}
extern "C" void texture_resize_run(texture_resize_state* s, float* out, std::size_t w, std::size_t h,
                                   cudaStream_t stream) {
  cudaEventRecord(s->there, stream);
  cudaStreamWaitEvent(s->own, s->there);
  kernel<<<dim3((w + 31) / 32, (2 * h + 3) / 4), dim3(32, 4), 0, s->own>>>(s->texture.it, (float2*)out,
                                                                           (int)w, (int)h);
  cudaEventRecord(s->back, s->own);
  cudaStreamWaitEvent(stream, s->back);
}
extern "C" void texture_resize_teardown(texture_resize_state* s) {
  cudaDestroyTextureObject(s->texture.it);
  cudaFreeArray(s->array.it);
  cudaEventDestroy(s->there);
  cudaEventDestroy(s->back);
  cudaStreamDestroy(s->own);
  delete s;
}

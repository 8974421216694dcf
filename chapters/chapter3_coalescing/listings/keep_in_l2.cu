/// @file
/// Lesson 3, "what stays in L2": a stream of pixels passes by a palette that should stay. Once
/// with a hint on the stream, once with a window over the palette. Checks both.
#include "../../chapter2_shared_memory/listings/check.cuh"

// [hint]
/// out[i] = palette[in[i]]. Each pixel passes once, and says so; the palette is read again and
/// again.
/// Launch contract: at least n threads.
__global__ void recolour(const unsigned int* in, const float* palette, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) __stcs(&out[i], palette[__ldcs(&in[i])]);  // read and written once: evict me first
}
// [hint]

/// The same without a hint.
__global__ void recolour_plainly(const unsigned int* in, const float* palette, float* out,
                                 int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = palette[in[i]];
}

// [window]
/// Recolours on `stream`, with a part of L2 set aside for the palette; all as before
/// afterwards.
cudaError_t recolour_with_window(const unsigned int* in, float* palette,
                                 std::size_t palette_bytes, float* out, int n,
                                 cudaStream_t stream) {
  // What the palette needs, and no more.
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, palette_bytes);

  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.base_ptr = palette;
  value.accessPolicyWindow.num_bytes = palette_bytes;
  value.accessPolicyWindow.hitRatio = 1.0f;  // all of the window
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);

  recolour_plainly<<<(n + 255) / 256, 256, 0, stream>>>(in, palette, out, n);
  cudaStreamSynchronize(stream);

  value.accessPolicyWindow.num_bytes = 0;  // no window any more
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  cudaCtxResetPersistingL2Cache();                        // what it kept may be evicted again
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);  // and its place serves everybody
  return cudaGetLastError();
}
// [window]

int main() {
  constexpr int colours = 1024, n = 10007;
  const std::vector<float> palette = different_values(colours);
  std::vector<unsigned int> in(n);
  for (int i = 0; i < n; ++i) in[i] = i * 7919u % colours;
  device_array<unsigned int> from(in);
  device_array<float> table(palette), hinted(n), windowed(n);
  recolour<<<(n + 255) / 256, 256>>>(from.data(), table.data(), hinted.data(), n);
  cudaStream_t stream = nullptr;
  must(cudaStreamCreate(&stream), "stream");
  must(recolour_with_window(from.data(), table.data(), colours * sizeof(float), windowed.data(),
                            n, stream),
       "window");
  const std::vector<float> first = hinted.to_host(), second = windowed.to_host();
  cudaStreamDestroy(stream);
  bool right = true;
  for (int i = 0; i < n; ++i)
    right = right && first[i] == palette[in[i]] && second[i] == first[i];
  return verdict("pixels recoloured in two ways", right);
}

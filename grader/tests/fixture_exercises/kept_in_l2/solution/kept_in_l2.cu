/// @file
/// kept_in_l2: sets all that there is, and takes nothing back.
#include "kept_in_l2.cuh"

static float found = 0;

static bool anything_is_set(cudaStream_t stream) {
  std::size_t limit = 0;
  cudaStreamAttrValue value{};
  cudaDeviceGetLimit(&limit, cudaLimitPersistingL2CacheSize);
  cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
  return limit != 0 || value.accessPolicyWindow.num_bytes != 0;
}

static void set_everything(const float* in, std::size_t n, cudaStream_t stream) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20);
  cudaStreamAttrValue value{};
  value.accessPolicyWindow.base_ptr = const_cast<float*>(in);
  value.accessPolicyWindow.num_bytes = n * sizeof(float) < 1 << 20 ? n * sizeof(float) : 1 << 20;
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

__global__ void copy(const float* in, float* out, std::size_t n, float found) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] + found;
}

extern "C" void kept_in_l2_setup(const float* in, std::size_t n, cudaStream_t stream) {
  found = anything_is_set(stream) ? 1 : 0;
  set_everything(in, n, stream);
}

extern "C" void kept_in_l2_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  copy<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n, found);
}

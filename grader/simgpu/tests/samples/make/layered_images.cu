/// @file
/// Images beside plain ones: layers and the sides of a cube.
#include <algorithm>
#include <vector>

#include "check.cuh"

__global__ void read_layers(cudaTextureObject_t layers, float* out) {
  const int at = (blockIdx.x * 16 + threadIdx.y) * 16 + threadIdx.x;
  out[at] = tex2DLayered<float>(layers, threadIdx.x + 0.5f, threadIdx.y + 0.5f, blockIdx.x);
}
__global__ void read_side(cudaTextureObject_t cube, float* out) {
  const float u = (threadIdx.x + 0.5f) / 8 - 1, v = (threadIdx.y + 0.5f) / 8 - 1;
  out[threadIdx.y * 16 + threadIdx.x] = texCubemap<float>(cube, 1, -v, -u);
}

cudaTextureObject_t texture_of(const std::vector<float>& values, unsigned layers, unsigned kind) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMemcpy3DParms copy{};
  copy.extent = make_cudaExtent(16, 16, layers);
  CHECK(cudaMalloc3DArray(&copy.dstArray, &format, copy.extent, kind));
  copy.srcPtr = make_cudaPitchedPtr(const_cast<float*>(values.data()), 64, 16, 16);
  copy.kind = cudaMemcpyHostToDevice;
  CHECK(cudaMemcpy3D(&copy));
  cudaResourceDesc what{};
  what.resType = cudaResourceTypeArray;
  what.res.array.array = copy.dstArray;
  const cudaTextureDesc how{};
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &what, &how, nullptr));
  return texture;
}

int main() {
  std::vector<float> values(6 * 256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  float* out = nullptr;
  CHECK(cudaMallocManaged(&out, 6 * 1024));
  read_layers<<<5, dim3(16, 16)>>>(texture_of(values, 5, cudaArrayLayered), out);
  CHECK_LAUNCH();
  bool right = std::equal(values.begin(), values.begin() + 5 * 256, out);
  read_side<<<1, dim3(16, 16)>>>(texture_of(values, 6, cudaArrayCubemap), out);
  CHECK_LAUNCH();
  right = right && std::equal(values.begin(), values.begin() + 256, out);
  return verdict(right);
}

/// @file
/// Pitched boxes: filled, copied in part, and scaled where they lie.
#include <vector>

#include "check.cuh"

constexpr std::size_t kWidth = 37, kHeight = 19, kDepth = 11;

__global__ void scale(cudaPitchedPtr box, cudaExtent extent) {
  for (std::size_t z = blockIdx.x; z < extent.depth; z += gridDim.x)
    for (std::size_t y = threadIdx.y; y < extent.height; y += blockDim.y) {
      auto* row = reinterpret_cast<float*>(static_cast<char*>(box.ptr) + (z * extent.height + y) * box.pitch);
      for (std::size_t x = threadIdx.x; x < extent.width / sizeof(float); x += blockDim.x) row[x] *= 2;
    }
}

void copy(cudaPitchedPtr from, cudaPos first, cudaPitchedPtr to, std::size_t planes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms box{};
  box.srcPtr = from, box.dstPtr = to, box.srcPos = first, box.kind = kind;
  box.extent = make_cudaExtent(kWidth * sizeof(float), kHeight, planes);
  CHECK(cudaMemcpy3D(&box));
}

int main() {
  std::vector<float> values(kWidth * kHeight * kDepth), got(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const cudaExtent extent = make_cudaExtent(kWidth * sizeof(float), kHeight, kDepth);
  cudaPitchedPtr a{}, b{};
  CHECK(cudaMalloc3D(&a, extent));
  CHECK(cudaMalloc3D(&b, extent));
  CHECK(cudaMemset3D(b, 0, extent));
  const auto on_host = [](float* p) { return make_cudaPitchedPtr(p, kWidth * 4, kWidth, kHeight); };
  copy(on_host(values.data()), {}, a, kDepth, cudaMemcpyHostToDevice);
  scale<<<4, dim3(16, 8)>>>(a, extent);
  copy(a, make_cudaPos(0, 0, 3), b, 5, cudaMemcpyDeviceToDevice);
  copy(b, {}, on_host(got.data()), kDepth, cudaMemcpyDeviceToHost);
  bool right = true;
  const std::size_t plane = kWidth * kHeight;
  for (std::size_t i = 0; i < got.size(); ++i)
    right = right && got[i] == (i < 5 * plane ? 2.0f * static_cast<float>(i + 3 * plane) : 0);
  CHECK(cudaFree(a.ptr));
  CHECK(cudaFree(b.ptr));
  return verdict(right);
}

// Requests of nothing, and numbers that are none: calls that a program may make, and that must pass through every form of the queue.
#include "program.hpp"

#include <cmath>
#include <cstring>

namespace {

__global__ void set_one(int* p) {
  *p = 1;
}

__global__ void print_zero_byte() {
  printf("a%cb\n", 0);
}

__global__ void read_border(cudaTextureObject_t texture, float* out) {
  *out = tex2D<float>(texture, 5.f, 5.f);
}

/// Windows of no bytes: taken back, or never filled in.
void windows(int* p) {
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreate(&stream));
  cudaStreamAttrValue value{};
  for (int* const begin : {static_cast<int*>(nullptr), p, reinterpret_cast<int*>(~std::size_t{0})}) {
    value.accessPolicyWindow.base_ptr = begin;
    CHECK(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    set_one<<<1, 1, 0, stream>>>(p);
  }
  // What a launch brings with it nobody checks.
  cudaLaunchAttribute attribute;
  std::memset(&attribute, 0xff, sizeof attribute);
  attribute.id = cudaLaunchAttributeAccessPolicyWindow;
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, set_one, p));
  attribute.val.accessPolicyWindow.num_bytes = 0;
  CHECK(cudaLaunchKernelEx(&config, set_one, p));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));
}

void fills_and_copies_of_nothing(int* p) {
  cudaGraph_t graph = nullptr;
  CHECK(cudaGraphCreate(&graph, 0));
  for (const std::size_t height : {1, 5}) {
    cudaGraphNode_t node = nullptr;
    cudaMemsetParams fill{};
    fill.dst = p;
    fill.elementSize = 4;
    fill.height = height;
    fill.pitch = 64;
    fill.value = ~0u;
    CHECK(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &fill));
  }
  cudaGraphExec_t ready = nullptr;
  CHECK(cudaGraphInstantiate(&ready, graph, 0));
  CHECK(cudaGraphLaunch(ready, nullptr));
  CHECK(cudaMemset(p, 7, 0));
  CHECK(cudaMemset2D(p, 64, 7, 0, 5));
  CHECK(cudaMemset2D(p, 64, 7, 4, 0));
  CHECK(cudaMemset3D(make_cudaPitchedPtr(p, 64, 16, 4), 7, make_cudaExtent(4, 4, 0)));
  CHECK(cudaMemcpy(p, p + 8, 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(ready));
  CHECK(cudaGraphDestroy(graph));
  EXPECT(to_host(p, 1)[0] == 1);
}

void a_border_that_is_no_number(float* texels) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D.devPtr = texels;
  resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
  resource.res.pitch2D.width = resource.res.pitch2D.height = 2;
  resource.res.pitch2D.pitchInBytes = 256;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeBorder;
  how.borderColor[0] = NAN;
  how.mipmapLevelBias = NAN;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
  read_border<<<1, 1>>>(texture, texels);
  EXPECT(std::isnan(to_host(texels, 1)[0]));
  CHECK(cudaDestroyTextureObject(texture));
}

}  // namespace

int main() {
  int* p = nullptr;
  CHECK(cudaMalloc(&p, 1024));
  CHECK(cudaMemset(p, 0, 1024));
  windows(p);
  fills_and_copies_of_nothing(p);
  a_border_that_is_no_number(reinterpret_cast<float*>(p));
  print_zero_byte<<<1, 1>>>();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(p));
  return ok();
}

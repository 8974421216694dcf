/// @file
/// A graph put together node by node, launched again with another factor.
#include "buffer.cuh"

__global__ void add_scaled(float by, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += by * x[i];
}

int main() {
  int n = 1000, calls = 0;
  float by = 2, last = 0;
  Buffer<float> x(std::vector<float>(n, 1.0f)), y(n);
  float *d_x = x, *d_y = y;
  cudaGraph_t graph;
  cudaGraphExec_t program;
  cudaGraphNode_t clear, kernel, back, tell;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemsetParams zeros{};
  zeros.dst = d_y, zeros.elementSize = 4, zeros.width = n, zeros.height = 1;
  CHECK(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zeros));
  void* arguments[] = {&by, &d_x, &d_y, &n};
  cudaKernelNodeParams launch{};
  launch.func = reinterpret_cast<void*>(add_scaled);
  launch.gridDim = dim3(8), launch.blockDim = dim3(128), launch.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &clear, 1, &launch));
  CHECK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, &last, d_y + n - 1, 4, cudaMemcpyDeviceToHost));
  cudaHostNodeParams host{};
  host.fn = [](void* count) { ++*static_cast<int*>(count); };
  host.userData = &calls;
  CHECK(cudaGraphAddHostNode(&tell, graph, &back, 1, &host));
  CHECK(cudaGraphInstantiate(&program, graph, 0));
  bool right = true;
  for (by = 2; by < 5; ++by) {
    CHECK(cudaGraphExecKernelNodeSetParams(program, kernel, &launch));
    CHECK(cudaGraphLaunch(program, nullptr));
    CHECK(cudaDeviceSynchronize());
    right = right && last == by;
  }
  CHECK(cudaGraphExecDestroy(program));
  CHECK(cudaGraphDestroy(graph));
  return verdict(right && calls == 3);
}

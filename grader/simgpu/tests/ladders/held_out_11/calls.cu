/// @file
/// What the host asks for: memory of its own that a kernel reads where it is, a graph whose kernel gets
/// another factor before each launch.
#include "held_out_11.hpp"

namespace held_out_11 {
namespace {

__global__ void middles_of_pairs(const float2* mapped, float* out, unsigned m) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= m) return;
  const float2 pair = mapped[i];
  out[i] = 0.5f * (pair.x + pair.y);
}

constexpr unsigned kAddedUp = 16384, kFactors = 8;
__global__ void add_by_factor(const float* in, float* out, float factor) {
  const std::size_t i = global_index();
  out[i] += factor * in[i];
}
float factor_of(unsigned k) {
  return 0.5f + 0.25f * static_cast<float>(k);
}

}  // namespace

void calls(Set& s) {
  const std::size_t n = s.n;
  const unsigned pairs = as_number(n / 128);
  float2 *of_host = nullptr, *seen = nullptr;
  ladder::check(cudaHostAlloc(&of_host, pairs * sizeof(float2), cudaHostAllocMapped), "mapped");
  void* address = nullptr;
  ladder::check(cudaHostGetDevicePointer(&address, of_host, 0), "mapped");
  seen = static_cast<float2*>(address);
  for (std::size_t i = 0; i < pairs; ++i) of_host[i] = make_float2(float_of(2 * i), float_of(2 * i + 1));
  s.run(
      "pairs of mapped memory of the host read by a kernel", 8.0 * pairs,
      [&] { middles_of_pairs<<<Set::blocks(pairs), 256>>>(seen, s.out, pairs); },
      [&] {
        return floats(s, pairs,
                      [](std::size_t i) { return 0.5 * (double{float_of(2 * i)} + float_of(2 * i + 1)); });
      });
  cudaFreeHost(of_host);

  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaGraphCreate(&graph, 0), "graph");
  const float* from = s.in;
  float factor = factor_of(0);
  void* arguments[] = {&from, &s.out, &factor};
  cudaKernelNodeParams asked{};
  asked.func = reinterpret_cast<void*>(add_by_factor);
  asked.gridDim = dim3(kAddedUp / 256);
  asked.blockDim = dim3(256);
  asked.kernelParams = arguments;
  ladder::check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &asked), "node");
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run_whole(
      "graph launched eight times with another factor each", 12.0 * kAddedUp * kFactors,
      [&] {
        for (unsigned k = 0; k < kFactors; ++k) {
          factor = factor_of(k);
          cudaGraphExecKernelNodeSetParams(ready, node, &asked);
          cudaGraphLaunch(ready, nullptr);
        }
      },
      [&] {
        double factors = 0;
        for (unsigned k = 0; k < kFactors; ++k) factors += factor_of(k);
        return floats(s, kAddedUp, [&](std::size_t i) { return factors * float_of(i); });
      });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
}

}  // namespace held_out_11

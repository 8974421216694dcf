/// @file
/// Programs of several launches: explicit steps of heat between two arrays, a graph of kernels side by
/// side, a sum halved again and again, grids of a wave and a half.
#include "held_out_6.hpp"

namespace held_out_6 {
namespace {

__global__ void heat_step(const float* in, float* out, unsigned m) {
  const unsigned i = static_cast<unsigned>(global_index());
  if (i >= m) return;
  const float left = in[i == 0 ? m - 1 : i - 1], right = in[i + 1 == m ? 0 : i + 1];
  out[i] = in[i] + 0.25f * (left - 2.0f * in[i] + right);
}
__global__ void halve(unsigned* v, std::size_t half) {
  const std::size_t i = global_index();
  if (i < half) v[i] += v[i + half];
}
__global__ void part_scaled(const float* in, float* out, float by, std::size_t m) {
  const std::size_t i = global_index();
  if (i < m) out[i] = by * in[i];
}
/// Orbits of a map; 64 kB of shared memory a block leave three to an SM.
__global__ void __launch_bounds__(256) logistic_map(const float* in, float* out, int steps) {
  extern __shared__ float unused[];
  const std::size_t i = global_index();
  float x = 0.125f * in[i];
  for (int k = 0; k < steps; ++k) x = 2.9f * x * (1.0f - x);
  unused[threadIdx.x] = x;
  out[i] = unused[threadIdx.x];
}

}  // namespace

void launches(Set& s) {
  const std::size_t n = s.n;
  const unsigned m = as_number(n / 32);
  float* buffers[2] = {s.out, room<float>(m)};
  s.run(
      "twenty steps of heat between two arrays", 20 * 8.0 * m,
      [&] {
        heat_step<<<Set::blocks(m), 256>>>(s.in, buffers[1], m);
        for (int k = 1; k < 20; ++k)
          heat_step<<<Set::blocks(m), 256>>>(buffers[k % 2], buffers[(k + 1) % 2], m);
      },
      [&] {
        return floats(s, m, [m](std::size_t i) {
          double v[41], next[41];
          for (std::size_t k = 0; k < 41; ++k) v[k] = float_of((i + m + k - 20) % m);
          for (int step = 0; step < 20; ++step) {
            for (int k = 1; k < 40; ++k) next[k] = v[k] + 0.25 * (v[k - 1] - 2 * v[k] + v[k + 1]);
            for (int k = 1; k < 40; ++k) v[k] = next[k];
          }
          return v[20];
        });
      });
  cudaFree(buffers[1]);
  s.run(
      "a sum halved six times", 12.0 * real(n / 16) * (63.0 / 64),
      [&] {
        cudaMemcpyAsync(s.out, s.words, n / 16 * 4, cudaMemcpyDeviceToDevice);
        for (std::size_t half = n / 32; half >= n / 1024; half /= 2)
          halve<<<Set::blocks(half), 256>>>(s.numbers(), half);
      },
      [&] {
        return numbers(s, n / 1024, [n](std::size_t i) {
          unsigned sum = 0;
          for (std::size_t k = 0; k < 64; ++k) sum += word_of(i + k * (n / 1024));
          return sum;
        });
      });
  const std::size_t part = n / 64 / 256 * 256;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  ladder::check(cudaGraphCreate(&graph, 0), "graph");
  for (std::size_t k = 0; k < 8; ++k) {
    const float* from = s.in + k * part;
    float *to = s.out + k * part, by = static_cast<float>(k + 1);
    std::size_t count = part;
    void* arguments[] = {&from, &to, &by, &count};
    cudaKernelNodeParams kernel{};
    kernel.func = reinterpret_cast<void*>(&part_scaled);
    kernel.gridDim = dim3(as_number(part / 256)), kernel.blockDim = dim3(256);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    ladder::check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel), "node");
  }
  ladder::check(cudaGraphInstantiate(&ready, graph, 0), "graph");
  s.run(
      "graph of eight kernels side by side", 8.0 * 8 * real(part), [&] { cudaGraphLaunch(ready, nullptr); },
      [&] { return floats(s, 8 * part, [&](std::size_t i) { return real(i / part + 1) * float_of(i); }); });
  cudaGraphExecDestroy(ready), cudaGraphDestroy(graph);
  ladder::check(cudaFuncSetAttribute(logistic_map, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536),
                "shared memory");
  const unsigned blocks = s.sms * 3 + s.sms / 11 * 16;
  s.run(
      "a wave and a half, three blocks an SM", 8.0 * 256 * blocks,
      [&] { logistic_map<<<blocks, 256, 65536>>>(s.in, s.out, 2000); },
      [&] { return floats(s, 256 * std::size_t{blocks}, [](std::size_t) { return 1 - 1 / 2.9; }); });
}

}  // namespace held_out_6

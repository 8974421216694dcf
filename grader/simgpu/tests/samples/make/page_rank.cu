/// @file
/// Page rank: each node gives its rank to those it links to.
#include <cmath>

#include "buffer.cuh"

__global__ void spread(const int* target, int links, const float* rank, float* next, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= n) return;
  for (int k = 0; k < links; ++k) atomicAdd(&next[target[node * links + k]], 0.85f * rank[node] / links);
}

__global__ void reset(float* next, int n) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < n) next[node] = 0.15f / n;
}

int main() {
  const int n = 300, links = 3, blocks = divide_up(n, 128);
  std::vector<int> target(n * links);
  for (int i = 0; i < n; ++i) {
    target[i * links] = 0;  // everybody links to the first one
    target[i * links + 1] = (i + 1) % n;
    target[i * links + 2] = (i * 7 + 3) % n;
  }
  Buffer<int> d_target(target);
  Buffer<float> rank(std::vector<float>(n, 1.0f / n)), next(n);
  for (int round = 0; round < 20; ++round) {
    reset<<<blocks, 128>>>(next, n);
    spread<<<blocks, 128>>>(d_target, links, rank, next, n);
    swap(rank, next);
  }
  CHECK_LAUNCH();
  double sum = 0;
  const auto result = rank.host();
  for (const float r : result) sum += r;
  std::printf("sum %.5f, first %.4f\n", sum, result[0]);
  return verdict(std::fabs(sum - 1) < 1e-3 && result[0] > 0.28f && result[0] < 0.30f);
}

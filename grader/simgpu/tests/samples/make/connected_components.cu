/// @file
/// Components of a graph: labels go down along edges until all are still.
#include <algorithm>
#include <numeric>

#include "buffer.cuh"

__global__ void hook(const int2* edges, int count, int* label, int* changed) {
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= count) return;
  const int a = atomicAdd(&label[edges[e].x], 0), b = atomicAdd(&label[edges[e].y], 0);
  if (a == b) return;
  atomicMin(&label[a < b ? edges[e].y : edges[e].x], min(a, b));
  atomicExch(changed, 1);
}

int main() {
  const int nodes = 400, groups = 5;
  std::vector<int2> edges;
  for (int i = groups; i < nodes; ++i)
    edges.push_back(make_int2(i, (i * 13 / 29 / groups) * groups + i % groups));
  std::vector<int> labels(nodes);
  std::iota(labels.begin(), labels.end(), 0);
  Buffer<int2> d_edges(edges);
  Buffer<int> label(labels), changed(1);
  const int count = static_cast<int>(edges.size());
  for (int more = 1; more;) {
    changed.clear();
    hook<<<divide_up(count, 128), 128>>>(d_edges, count, label, changed);
    more = changed.host()[0];
  }
  bool right = true;
  const auto result = label.host();
  for (int i = 0; i < nodes; ++i) right = right && result[i] == i % groups;
  return verdict(right);
}

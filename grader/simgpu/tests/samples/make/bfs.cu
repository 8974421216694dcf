/// @file
/// Breadth-first search, level by level, until nothing changes.
#include "buffer.cuh"

__global__ void expand(const int* row, const int* column, int* level, int nodes, int now, int* changed) {
  const int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node >= nodes || atomicAdd(&level[node], 0) != now) return;  // others set levels meanwhile
  for (int e = row[node]; e < row[node + 1]; ++e)
    if (atomicCAS(&level[column[e]], -1, now + 1) == -1) *changed = 1;
}

int main() {
  const int side = 24, nodes = side * side;  // a grid: the level is the distance in steps
  std::vector<int> row{0}, column, level(nodes, -1);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x < side; ++x) {
      if (x > 0) column.push_back(y * side + x - 1);
      if (x + 1 < side) column.push_back(y * side + x + 1);
      if (y > 0) column.push_back((y - 1) * side + x);
      if (y + 1 < side) column.push_back((y + 1) * side + x);
      row.push_back(static_cast<int>(column.size()));
    }
  level[0] = 0;
  Buffer<int> d_row(row), d_column(column), d_level(level), changed(1);
  for (int now = 0, more = 1; more; ++now) {
    changed.clear();
    expand<<<divide_up(nodes, 128), 128>>>(d_row, d_column, d_level, nodes, now, changed);
    CHECK(cudaMemcpy(&more, changed, sizeof more, cudaMemcpyDeviceToHost));
  }
  bool right = true;
  const auto result = d_level.host();
  for (int i = 0; i < nodes; ++i) right = right && result[i] == i % side + i / side;
  return verdict(right);
}

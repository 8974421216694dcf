/// @file
/// Conway's game on a torus: after 4 generations a glider has gone one cell down and one to the right.
#include "buffer.cuh"

__global__ void generation(const unsigned char* now, unsigned char* next, int size) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size || y >= size) return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      if (dx != 0 || dy != 0) neighbours += now[(y + dy + size) % size * size + (x + dx + size) % size];
  next[y * size + x] = neighbours == 3 || (neighbours == 2 && now[y * size + x]);
}

int main() {
  const int size = 24, periods = 8;
  std::vector<unsigned char> cells(size * size), expected(size * size);
  const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
  for (const auto& cell : glider) {
    cells[cell[1] * size + cell[0]] = 1;
    expected[(cell[1] + periods) * size + cell[0] + periods] = 1;
  }
  Buffer<unsigned char> now(cells), next(cells.size());
  for (int g = 0; g < 4 * periods; ++g) {
    generation<<<dim3(2, 2), dim3(16, 16)>>>(now, next, size);
    swap(now, next);
  }
  CHECK_LAUNCH();
  return verdict(now.host() == expected);
}

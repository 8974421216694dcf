/// @file
/// The block size that the occupancy calculator proposes, and what a kernel takes.
#include "buffer.cuh"

__global__ void square(int* data, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) data[i] *= data[i];
}

int main() {
  const int n = 5000;
  int block = 0, least_grid = 0, active = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&least_grid, &block, square, 0, n));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&active, square, block, 0));
  cudaFuncAttributes attributes{};
  CHECK(cudaFuncGetAttributes(&attributes, square));
  std::printf("block %d, %d of them on an SM, %d registers\n", block, active, attributes.numRegs);
  std::vector<int> numbers(n);
  for (int i = 0; i < n; ++i) numbers[i] = i;
  Buffer<int> data(numbers);
  square<<<divide_up(n, block), block>>>(data, n);
  CHECK_LAUNCH();
  bool right = block >= 32 && active >= 1 && attributes.maxThreadsPerBlock >= block;
  const auto result = data.host();
  for (int i = 0; i < n; ++i) right = right && result[i] == i * i;
  return verdict(right);
}

/// @file
/// Many walkers on a line; the mean square of the way grows as the number of steps.
#include <cmath>

#include "buffer.cuh"

__device__ unsigned next(unsigned& state) {
  state ^= state << 13;
  state ^= state >> 17;
  return state ^= state << 5;
}

__global__ void walk(int* place, int walkers, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= walkers) return;
  unsigned state = 2463534242u + 747796405u * static_cast<unsigned>(i);
  for (int k = 0; k < 8; ++k) next(state);
  int x = 0;
  for (int k = 0; k < steps; ++k) x += next(state) & 0x10000u ? 1 : -1;
  place[i] = x;
}

int main() {
  const int walkers = 4096, steps = 100;
  Buffer<int> place(walkers);
  walk<<<walkers / 256, 256>>>(place, walkers, steps);
  CHECK_LAUNCH();
  double square = 0;
  for (const int x : place.host()) square += double(x) * x / walkers;
  std::printf("mean square %.1f after %d steps\n", square, steps);
  return verdict(std::fabs(square - steps) < 15);
}

/// @file
/// The knapsack by dynamic programming, a launch for each thing.
#include <algorithm>

#include "buffer.cuh"

__global__ void add_thing(const int* before, int* after, int capacity, int weight, int value) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > capacity) return;
  after[c] = c >= weight ? max(before[c], before[c - weight] + value) : before[c];
}

int main() {
  const int things = 30, capacity = 600;
  Buffer<int> before(capacity + 1), after(capacity + 1);
  before.clear();
  std::vector<int> best(capacity + 1);
  for (int k = 0; k < things; ++k) {
    const int weight = 5 + k * 7 % 40, value = 3 + k * 11 % 50;
    add_thing<<<divide_up(capacity + 1, 128), 128>>>(before, after, capacity, weight, value);
    swap(before, after);
    for (int c = capacity; c >= weight; --c) best[c] = std::max(best[c], best[c - weight] + value);
  }
  CHECK_LAUNCH();
  return verdict(before.host() == best);
}

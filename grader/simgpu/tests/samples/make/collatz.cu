/// @file
/// The longest Collatz chain below a bound.
#include "buffer.cuh"

__global__ void longest(unsigned limit, unsigned long long* best) {
  const unsigned start = blockIdx.x * blockDim.x + threadIdx.x + 1;
  if (start >= limit) return;
  unsigned long long n = start;
  unsigned steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  atomicMax(best, static_cast<unsigned long long>(steps) << 32 | start);
}

int main() {
  Buffer<unsigned long long> best(1);
  best.clear();
  longest<<<divide_up(10000, 256), 256>>>(10000, best);
  CHECK_LAUNCH();
  const unsigned long long found = best.host()[0];
  std::printf("%u takes %u steps\n", static_cast<unsigned>(found), static_cast<unsigned>(found >> 32));
  return verdict(found == (261ull << 32 | 6171));
}

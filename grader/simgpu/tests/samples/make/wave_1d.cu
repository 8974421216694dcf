/// @file
/// A plucked string: with a step of one cell a step of time, a pulse comes back after a period.
#include <cmath>

#include "buffer.cuh"

__global__ void step(const float* before, const float* now, float* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  next[i] = i == 0 || i == n - 1 ? 0.0f : now[i - 1] + now[i + 1] - before[i];
}

int main() {
  const int n = 129, period = 2 * (n - 1);
  std::vector<float> start(n);
  for (int i = 1; i < n - 1; ++i) start[i] = static_cast<float>(std::sin(M_PI * i / (n - 1)));
  std::vector<float> first = start;  // at rest
  for (int i = 1; i < n - 1; ++i) first[i] = (start[i - 1] + start[i + 1]) / 2;
  Buffer<float> before(start), now(first), next(n);
  for (int t = 1; t < period; ++t) {
    step<<<divide_up(n, 64), 64>>>(before, now, next, n);
    swap(before, now);
    swap(now, next);
  }
  CHECK_LAUNCH();
  const auto end = now.host();
  float worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(end[i] - start[i]));
  std::printf("after a period the string differs by %g\n", worst);
  return verdict(worst < 1e-2f);
}

/// @file
/// k-means: points choose the nearest centre, centres move to the mean of their points.
#include <cmath>

#include "buffer.cuh"

constexpr int kClusters = 4;

__global__ void assign(const float2* points, const float2* centres, float* sums, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int best = 0;
  float nearest = INFINITY;
  for (int c = 0; c < kClusters; ++c) {
    const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y;
    if (dx * dx + dy * dy < nearest) nearest = dx * dx + dy * dy, best = c;
  }
  atomicAdd(&sums[2 * best], points[i].x);
  atomicAdd(&sums[2 * best + 1], points[i].y);
  atomicAdd(&counts[best], 1);
}

__global__ void move(float2* centres, const float* sums, const int* counts) {
  const int c = threadIdx.x;
  if (counts[c] > 0) centres[c] = make_float2(sums[2 * c] / counts[c], sums[2 * c + 1] / counts[c]);
}

int main() {
  const int n = 2000;
  std::vector<float2> points(n), start(kClusters);
  for (int i = 0; i < n; ++i) {
    const float angle = static_cast<float>(i) * 2.4f, radius = static_cast<float>(i % 100) * 0.01f;
    const int c = i % kClusters;
    points[i] =
        make_float2(10.0f * (c % 2) + radius * std::cos(angle), 10.0f * (c / 2) + radius * std::sin(angle));
  }
  for (int c = 0; c < kClusters; ++c) start[c] = points[c + 40];
  Buffer<float2> d_points(points), centres(start);
  Buffer<float> sums(2 * kClusters);
  Buffer<int> counts(kClusters);
  for (int round = 0; round < 5; ++round) {
    sums.clear();
    counts.clear();
    assign<<<divide_up(n, 256), 256>>>(d_points, centres, sums, counts, n);
    move<<<1, kClusters>>>(centres, sums, counts);
  }
  CHECK_LAUNCH();
  bool right = true;
  const auto found = centres.host();
  for (int c = 0; c < kClusters; ++c)
    right = right && std::fabs(found[c].x - 10.0f * (c % 2)) < 0.2f &&
            std::fabs(found[c].y - 10.0f * (c / 2)) < 0.2f;
  return verdict(right);
}

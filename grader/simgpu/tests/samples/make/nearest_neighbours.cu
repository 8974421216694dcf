/// @file
/// The nearest point of a set for each query: distance and number packed into one word for an atomic minimum.
#include "buffer.cuh"

__global__ void nearest(const int2* points, int n, const int2* queries, unsigned long long* best) {
  const int q = blockIdx.y, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long dx = points[i].x - queries[q].x, dy = points[i].y - queries[q].y;
  atomicMin(&best[q], static_cast<unsigned long long>(dx * dx + dy * dy) << 32 | static_cast<unsigned>(i));
}

int main() {
  const int n = 700, m = 20;
  std::vector<int2> points(n), queries(m);
  for (int i = 0; i < n; ++i) points[i] = make_int2(i * 71 % 1009, i * 113 % 997);
  for (int q = 0; q < m; ++q) queries[q] = make_int2(q * 53 % 1000, q * 379 % 1000);
  Buffer<int2> d_points(points), d_queries(queries);
  Buffer<unsigned long long> best(std::vector<unsigned long long>(m, ~0ull));
  nearest<<<dim3(divide_up(n, 128), m), 128>>>(d_points, n, d_queries, best);
  CHECK_LAUNCH();
  bool right = true;
  const auto result = best.host();
  for (int q = 0; q < m; ++q) {
    unsigned long long expected = ~0ull;
    for (int i = 0; i < n; ++i) {
      const long long dx = points[i].x - queries[q].x, dy = points[i].y - queries[q].y;
      expected = std::min(
          expected, static_cast<unsigned long long>(dx * dx + dy * dy) << 32 | static_cast<unsigned>(i));
    }
    right = right && result[q] == expected;
  }
  return verdict(right);
}

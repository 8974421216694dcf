/// @file
/// Heat neither comes nor goes, and evens out.
#include <cmath>
#include <cstdio>
#include <numeric>

#include "solver.h"

int main() {
  std::vector<double> ring(64, 0.0);
  ring[10] = 64;
  Solver solver(ring);
  solver.advance(300);
  const std::vector<double> end = solver.temperature();
  const double sum = std::accumulate(end.begin(), end.end(), 0.0);
  std::printf("sum %.12f, warmest %.3f, coldest %.3f\n", sum, end[10], end[42]);
  const bool right = std::fabs(sum - 64) < 1e-9 && end[10] < 6 && end[42] < end[10];
  std::puts(right ? "PASSED" : "FAILED");
  return !right;
}

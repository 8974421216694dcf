/// @file
/// Uses the static library.
#include <cmath>

#include "buffer.cuh"
#include "vectors.h"

int main() {
  const std::vector<float> halves(1024, 0.5f);
  Buffer<float> x(halves);
  const float before = vectors::norm(x, 1024);
  vectors::scale(x, 2.0f, 1024);
  const float after = vectors::norm(x, 1024);
  std::printf("%f, then %f\n", before, after);
  return verdict(before == 16.0f && after == 32.0f);
}

/// @file
/// Lesson 2, "a tree": where the largest of 192 values stands, found by one block a row. 192 is
/// no power of two.
#include "check.cuh"

// [kernel]
constexpr int row_length = 192;  // six warps

/// Writes the place of the largest value of row blockIdx.x; of equal ones, the first.
/// Launch contract: one block of row_length threads a row.
__global__ void place_of_maximum(const float* in, int* place) {
  __shared__ float value[row_length];
  __shared__ int from[row_length];  // where value[t] came from
  const int t = threadIdx.x;
  value[t] = in[blockIdx.x * row_length + t];
  from[t] = t;
  __syncthreads();

  for (int left = row_length; left > 1;) {  // how many candidates are left
    const int half = (left + 1) / 2;        // an odd one out waits for the next step
    if (t + half < left) {
      const float other = value[t + half];
      if (other > value[t] || (other == value[t] && from[t + half] < from[t])) {
        value[t] = other;
        from[t] = from[t + half];
      }
    }
    __syncthreads();  // outside the branch: all 192 threads arrive here
    left = half;
  }
  if (t == 0) place[blockIdx.x] = from[0];
}
// [kernel]

int main() {
  constexpr int rows = 50;
  std::vector<float> in = different_values(rows * row_length);
  for (int t = 100; t < row_length; ++t)
    in[t] = 6000.0f;  // the first row's maximum stands in many places
  device_array<float> values(in);
  device_array<int> places(rows);
  place_of_maximum<<<rows, row_length>>>(values.data(), places.data());

  const std::vector<int> out = places.to_host();
  bool right = true;
  for (int r = 0; r < rows; ++r) {
    int best = 0;
    for (int t = 1; t < row_length; ++t)
      if (in[r * row_length + t] > in[r * row_length + best]) best = t;
    right = right && out[r] == best;
  }
  return verdict("places of maxima", right);
}

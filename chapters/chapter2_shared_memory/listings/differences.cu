/// @file
/// Lesson 2, "a tile and a barrier": the smallest program in which threads of a block read what
/// others wrote.
#include "check.cuh"

// [kernel]
constexpr int row_length = 256;

/// Writes how much each value of row blockIdx.x exceeds its left neighbour; the first one
/// counts as no change.
/// Launch contract: one block of row_length threads a row.
__global__ void differences(const float* in, float* out) {
  __shared__ float tile[row_length];  // one for each block, gone when the block ends
  const int t = threadIdx.x;
  const int i = blockIdx.x * row_length + t;

  tile[t] = in[i];  // every thread brings one value
  __syncthreads();  // all have brought theirs
  out[i] = t == 0 ? 0.0f : tile[t] - tile[t - 1];
}
// [kernel]

int main() {
  constexpr int rows = 20;
  const std::vector<float> in = different_values(rows * row_length);
  device_array<float> from(in), to(in.size());
  differences<<<rows, row_length>>>(from.data(), to.data());

  const std::vector<float> out = to.to_host();
  bool right = true;
  for (int i = 0; i < rows * row_length; ++i)
    right = right && out[i] == (i % row_length == 0 ? 0.0f : in[i] - in[i - 1]);
  return verdict("differences", right);
}

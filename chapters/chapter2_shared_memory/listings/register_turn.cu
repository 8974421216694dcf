/// @file
/// Lesson 2, "banks and padding", the faster cousin: blocks of 4 x 4 elements are transposed in
/// registers, without a tile.
#include "check.cuh"

// [kernel]
/// Writes the transpose of a rows x cols matrix. A thread reads four rows of four and writes
/// four rows of four.
/// Launch contract: blocks of 8 x 4 lanes for 32 columns and 16 rows; both sides are multiples
/// of 4.
__global__ void register_turn(const float* in, float* out, int rows, int cols) {
  const int c = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  const int r = 4 * (blockIdx.y * blockDim.y + threadIdx.y);
  if (r >= rows || c >= cols) return;
  float4 row[4];
  for (int k = 0; k < 4; ++k)
    row[k] = *reinterpret_cast<const float4*>(in + (r + k) * cols + c);
  const float4 turned[4] = {{row[0].x, row[1].x, row[2].x, row[3].x},
                            {row[0].y, row[1].y, row[2].y, row[3].y},
                            {row[0].z, row[1].z, row[2].z, row[3].z},
                            {row[0].w, row[1].w, row[2].w, row[3].w}};
  for (int k = 0; k < 4; ++k) *reinterpret_cast<float4*>(out + (c + k) * rows + r) = turned[k];
}
// [kernel]

int main() {
  constexpr int rows = 52, cols = 76;
  const std::vector<float> in = different_values(rows * cols);
  device_array<float> from(in), to(in.size());
  register_turn<<<dim3((cols + 31) / 32, (rows + 15) / 16), dim3(8, 4)>>>(
      from.data(), to.data(), rows, cols);
  const std::vector<float> out = to.to_host();
  bool right = true;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) right = right && out[c * rows + r] == in[r * cols + c];
  return verdict("transposed in registers", right);
}

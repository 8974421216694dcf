/// @file
/// Lesson 2, listing "a tile and a tree": the largest value of each row of 256, found by one block a row.
/// Checks its own result and returns 0 if it is right.
#include <cstdio>
#include <vector>

// [kernel]
constexpr unsigned int row_length = 256;  // one thread an element; a power of two

/// Writes the largest value of row blockIdx.x. Launch contract: one block of row_length threads a row.
__global__ void row_maximum(const float* in, float* out) {
  alignas(16) __shared__ float tile[row_length];  // 1 KB, shared by the threads of the block
  const unsigned int t = threadIdx.x;

  tile[t] = in[blockIdx.x * row_length + t];  // every thread brings one value
  __syncthreads();                            // from here on, everybody may read every value

  for (unsigned int half = row_length / 2; half > 0; half /= 2) {
    if (t < half) tile[t] = fmaxf(tile[t], tile[t + half]);
    __syncthreads();  // not in the branch: all 256 threads arrive, also those that had nothing to do
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
// [kernel]

int main() {
  constexpr unsigned int rows = 100;
  std::vector<float> in(rows * row_length);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7919 % 10007);

  float* device_in = nullptr;
  float* device_out = nullptr;
  std::vector<float> out(rows);
  bool right =
      cudaMalloc(&device_in, in.size() * sizeof(float)) == cudaSuccess &&
      cudaMalloc(&device_out, out.size() * sizeof(float)) == cudaSuccess &&
      cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  row_maximum<<<rows, row_length>>>(device_in, device_out);
  right =
      right && cudaGetLastError() == cudaSuccess &&
      cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  for (unsigned int r = 0; r < rows; ++r) {
    float largest = in[r * row_length];
    for (unsigned int i = 1; i < row_length; ++i)
      if (in[r * row_length + i] > largest) largest = in[r * row_length + i];
    right = right && out[r] == largest;
  }
  cudaFree(device_in);
  cudaFree(device_out);
  std::printf("maxima of %u rows of %u: %s\n", rows, row_length, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

/// @file
/// Lesson 1, listing "a row in the registers of a warp": each row's mean is taken away from it.
/// First with two walks over the row, then with one. Checks both.
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int warps_a_block = 8;

// [sum]
/// The sum of `mine` over all 32 lanes, in every lane. All lanes must call it.
__device__ float warp_sum(float mine) {
  constexpr unsigned all = 0xffffffffu;
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(all, mine, d);
  return mine;
}
// [sum]

// [two_walks]
/// out[row][c] = in[row][c] - mean of the row. One warp a row, which it reads twice.
__global__ void centre_two_walks(const float* in, float* out, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;  // the whole warp leaves, or none of it
  const float* from = in + row * cols;
  float sum = 0;
  for (int c = lane; c < cols; c += 32) sum += from[c];
  const float mean = warp_sum(sum) / cols;
  for (int c = lane; c < cols; c += 32) out[row * cols + c] = from[c] - mean;
}
// [two_walks]

// [one_walk]
constexpr int values_a_lane = 8;  // rows of up to 256 columns

/// The same, read once. The row stays in the registers of its warp:
/// eight values a lane.
__global__ void centre_one_walk(const float* in, float* out, int rows, int cols) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * warps_a_block + threadIdx.x / 32;
  if (row >= rows) return;
  float mine[values_a_lane];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < values_a_lane; ++k) {
    const int c = lane + 32 * k;
    mine[k] = c < cols ? in[row * cols + c] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < values_a_lane; ++k) sum += mine[k];
  const float mean = warp_sum(sum) / cols;
#pragma unroll
  for (int k = 0; k < values_a_lane; ++k) {
    const int c = lane + 32 * k;
    if (c < cols) out[row * cols + c] = mine[k] - mean;
  }
}
// [one_walk]

using centring = void (*)(const float*, float*, int, int);

bool right(centring kernel, int rows, int cols) {
  std::vector<float> in(rows * cols), out(in.size(), -1e9f);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = static_cast<float>(i * 7919 % 1009) - 500.0f;
  float* device = nullptr;
  const std::size_t bytes = in.size() * sizeof(float);
  bool well = cudaMalloc(&device, 2 * bytes) == cudaSuccess &&
              cudaMemcpy(device, in.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  kernel<<<(rows + warps_a_block - 1) / warps_a_block, 32 * warps_a_block>>>(
      device, device + in.size(), rows, cols);
  well =
      well && cudaGetLastError() == cudaSuccess &&
      cudaMemcpy(out.data(), device + in.size(), bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(device);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) sum += in[r * cols + c];
    for (int c = 0; c < cols; ++c)
      well = well && std::fabs(out[r * cols + c] - (in[r * cols + c] - sum / cols)) < 1e-2;
  }
  return well;
}

int main() {
  bool all = true;
  for (const int cols : {1, 31, 33, 200, 256})
    all = all && right(centre_two_walks, 19, cols) && right(centre_one_walk, 19, cols);
  std::printf("rows centred in two ways: %s\n", all ? "right" : "WRONG");
  return all ? 0 : 1;
}

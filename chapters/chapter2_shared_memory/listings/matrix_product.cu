/// @file
/// Lesson 2, "the tiled matrix product": slice by slice through shared memory, for sides that
/// are multiples of the tile.
#include "check.cuh"

/// The same product without a tile.
/// Launch contract: as below.
__global__ void product_without_a_tile(const float* a, const float* b, float* c, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y,
            col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  // [no_tile]
  for (int j = 0; j < k; ++j) sum += a[row * k + j] * b[j * n + col];
  // [no_tile]
  c[row * n + col] = sum;
}

// [kernel]
constexpr int side = 16;

/// Writes C = A B for A of m x k, B of k x n, all row by row and all sides multiples of 16.
/// Launch contract: n / 16 by m / 16 blocks of 16 x 16 threads, one thread an element of C.
__global__ void matrix_product(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float a_tile[side][side];
  __shared__ float b_tile[side][side];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * side + ty, col = blockIdx.x * side + tx;

  float sum = 0.0f;
  for (int slice = 0; slice < k; slice += side) {
    a_tile[ty][tx] = a[row * k + slice + tx];
    b_tile[ty][tx] = b[(slice + ty) * n + col];
    __syncthreads();  // both tiles are full
    for (int j = 0; j < side; ++j) sum += a_tile[ty][j] * b_tile[j][tx];
    __syncthreads();  // nobody needs them any more: the next slice may overwrite them
  }
  c[row * n + col] = sum;
}
// [kernel]

int main() {
  constexpr int m = 48, n = 32, k = 80;
  std::vector<float> a(m * k), b(k * n);
  for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i * 37 % 101 - 50);
  for (int i = 0; i < k * n; ++i) b[i] = static_cast<float>(i * 53 % 103 - 51);
  device_array<float> a_on_device(a), b_on_device(b);
  bool right = true;
  for (const auto kernel : {matrix_product, product_without_a_tile}) {
    device_array<float> c_on_device(m * n);
    kernel<<<dim3(n / side, m / side), dim3(side, side)>>>(
        a_on_device.data(), b_on_device.data(), c_on_device.data(), n, k);
    const std::vector<float> c = c_on_device.to_host();
    for (int r = 0; r < m; ++r)
      for (int col = 0; col < n; ++col) {
        float sum = 0.0f;  // whole numbers below 2^24: any order of additions gives the same
        for (int j = 0; j < k; ++j) sum += a[r * k + j] * b[j * n + col];
        right = right && c[r * n + col] == sum;
      }
  }
  return verdict("matrix product", right);
}

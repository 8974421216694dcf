/// @file
/// Gauss and Jordan, in one block of threads for an augmented matrix in shared memory.
#include <cmath>

#include "buffer.cuh"

constexpr int kN = 24;

__global__ void solve(const float* augmented, float* x) {
  __shared__ float m[kN][kN + 1];
  const int row = threadIdx.y, column = threadIdx.x;
  m[row][column] = augmented[row * (kN + 1) + column];
  for (int k = 0; k < kN; ++k) {
    __syncthreads();
    const float pivot = m[k][k], factor = m[row][k], above = m[k][column];
    __syncthreads();
    if (row == k)
      m[row][column] = above / pivot;
    else
      m[row][column] -= factor * above / pivot;
  }
  __syncthreads();
  if (column == kN) x[row] = m[row][kN];
}

int main() {
  std::vector<float> m(kN * (kN + 1), 0.0f);
  for (int r = 0; r < kN; ++r)
    for (int c = 0; c < kN; ++c) {
      m[r * (kN + 1) + c] = r == c ? 30.0f : static_cast<float>((r * c) % 3);
      m[r * (kN + 1) + kN] += m[r * (kN + 1) + c] * static_cast<float>(c + 1);
    }
  Buffer<float> augmented(m), x(kN);
  solve<<<1, dim3(kN + 1, kN)>>>(augmented, x);
  CHECK_LAUNCH();
  bool right = true;
  const auto result = x.host();
  for (int i = 0; i < kN; ++i) right = right && std::fabs(result[i] - static_cast<float>(i + 1)) < 1e-3f;
  return verdict(right);
}

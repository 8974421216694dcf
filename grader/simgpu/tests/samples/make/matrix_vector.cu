/// @file
/// y = A x, one warp a row.
#include "buffer.cuh"

__global__ void multiply(const double* a, const double* x, double* y, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
  if (row >= rows) return;
  double sum = 0;
  for (int c = lane; c < columns; c += warpSize) sum += a[row * columns + c] * x[c];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 200, columns = 150;
  std::vector<double> a(rows * columns), x(columns), expected(rows);
  for (int i = 0; i < rows * columns; ++i) a[i] = i % 17;
  for (int c = 0; c < columns; ++c) x[c] = c % 3 - 1;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) expected[r] += a[r * columns + c] * x[c];
  Buffer<double> d_a(a), d_x(x), y(rows);
  multiply<<<divide_up(rows * 32, 128), 128>>>(d_a, d_x, y, rows, columns);
  CHECK_LAUNCH();
  return verdict(y.host() == expected);
}

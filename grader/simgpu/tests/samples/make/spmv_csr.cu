/// @file
/// A sparse matrix times a vector, in compressed rows: a thread a row, then a warp a row.
#include "buffer.cuh"

__global__ void scalar(int rows, const int* begin, const int* column, const float* value, const float* x,
                       float* y) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = begin[row]; k < begin[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}

__global__ void vector(int rows, const int* begin, const int* column, const float* value, const float* x,
                       float* y) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float sum = 0;
  for (int k = begin[row] + lane; k < begin[row + 1]; k += 32) sum += value[k] * x[column[k]];
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (lane == 0) y[row] = sum;
}

int main() {
  const int rows = 500;
  std::vector<int> begin{0}, column;
  std::vector<float> value, x(rows), expected(rows);
  for (int i = 0; i < rows; ++i) x[i] = static_cast<float>(i % 9);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < r % 37; ++k) {
      column.push_back((r * 31 + k * 17) % rows);
      value.push_back(static_cast<float>(k % 4));
      expected[r] += value.back() * x[column.back()];
    }
    begin.push_back(static_cast<int>(column.size()));
  }
  Buffer<int> d_begin(begin), d_column(column);
  Buffer<float> d_value(value), d_x(x), y(rows);
  scalar<<<divide_up(rows, 128), 128>>>(rows, d_begin, d_column, d_value, d_x, y);
  CHECK_LAUNCH();
  bool right = y.host() == expected;
  y.clear();
  vector<<<divide_up(rows * 32, 128), 128>>>(rows, d_begin, d_column, d_value, d_x, y);
  CHECK_LAUNCH();
  return verdict(right && y.host() == expected);
}

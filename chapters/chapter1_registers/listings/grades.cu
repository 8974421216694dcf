/// @file
/// Lesson 1, listing "arrays in registers": how often each of eight grades occurs in each
/// column, first with an array that is indexed by the grade, then with constant indices. Checks
/// both.
#include <cstdio>
#include <vector>

constexpr int grades = 8;

// [indexed]
/// count[g][column] = how many of the column's rows have grade g.
/// One thread a column.
__global__ void count_indexed(const int* grade, int* count, int rows, int cols) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  int mine[grades] = {};
  for (int row = 0; row < rows; ++row)
    ++mine[grade[row * cols + column]];  // which element? known at run time
  for (int g = 0; g < grades; ++g) count[g * cols + column] = mine[g];
}
// [indexed]

// [constant]
/// The same. Each element is named by a constant once the inner loop is unrolled.
__global__ void count_constant(const int* grade, int* count, int rows, int cols) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= cols) return;
  int mine[grades] = {};
  for (int row = 0; row < rows; ++row) {
    const int now = grade[row * cols + column];
#pragma unroll
    for (int g = 0; g < grades; ++g) mine[g] += now == g;
  }
#pragma unroll
  for (int g = 0; g < grades; ++g) count[g * cols + column] = mine[g];
}
// [constant]

using counter = void (*)(const int*, int*, int, int);

bool right(counter kernel, const std::vector<int>& in, const std::vector<int>& expected,
           int rows, int cols) {
  int* device = nullptr;
  std::vector<int> out(expected.size(), -1);
  bool well = cudaMalloc(&device, (in.size() + out.size()) * sizeof(int)) == cudaSuccess &&
              cudaMemcpy(device, in.data(), in.size() * sizeof(int), cudaMemcpyHostToDevice) ==
                  cudaSuccess;
  kernel<<<(cols + 127) / 128, 128>>>(device, device + in.size(), rows, cols);
  well = well && cudaGetLastError() == cudaSuccess &&
         cudaMemcpy(out.data(), device + in.size(), out.size() * sizeof(int),
                    cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(device);
  return well && out == expected;
}

int main() {
  constexpr int rows = 50, cols = 300;
  std::vector<int> in(rows * cols), expected(grades * cols, 0);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      in[r * cols + c] = (r * r + 3 * c) % 11 % grades;
      ++expected[in[r * cols + c] * cols + c];
    }
  const bool all = right(count_indexed, in, expected, rows, cols) &&
                   right(count_constant, in, expected, rows, cols);
  std::printf("grades counted: %s\n", all ? "right" : "WRONG");
  return all ? 0 : 1;
}

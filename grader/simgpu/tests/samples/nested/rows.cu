/// @file
/// Rows of different lengths: a parent's threads launch a grid for each row, as large as that row needs, and copy and fill for it.
#include "buffer.cuh"

__global__ void scale_row(const float* in, float* out, int count, float by, double unused, char tag) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && tag == 'r' && unused == 0.25) out[i] = in[i] * by;
}

__global__ void all_rows(const float* in, const int* begins, int rows, float* out, float* copy,
                         unsigned char* marks) {
  const int row = threadIdx.x;
  if (row >= rows) return;
  const int begin = begins[row], count = begins[row + 1] - begin;
  if (count > 0) scale_row<<<(count + 31) / 32, 32>>>(in + begin, out + begin, count, row + 1.0f, 0.25, 'r');
  cudaMemcpyAsync(copy + begin, out + begin, count * sizeof(float), cudaMemcpyDeviceToDevice);
  if (row % 7 != 0)
    cudaMemsetAsync(marks + row, 0, 1);  // a card fills with 0 whatever it is told (CUDA 13.0, H200)
}

/// A grid that no card can run: the launch says so, and nothing happens.
__global__ void too_large(const float* in, float* out, int* error) {
  scale_row<<<1, 2048>>>(in, out, 1, 1, 0.25, 'r');
  *error = cudaGetLastError();
}

int main() {
  const int rows = 20;
  std::vector<int> begins{0};
  for (int r = 0; r < rows; ++r) begins.push_back(begins.back() + r * r % 50);
  std::vector<float> in(begins.back());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i % 11);
  Buffer<int> d_begins(begins), d_error(1);
  Buffer<float> d_in(in), d_out(in.size()), d_copy(in.size());
  Buffer<unsigned char> d_marks(std::vector<unsigned char>(rows, 9));
  all_rows<<<1, 32>>>(d_in, d_begins, rows, d_out, d_copy, d_marks);
  CHECK_LAUNCH();
  too_large<<<1, 1>>>(d_in, d_out, d_error);
  CHECK_LAUNCH();
  bool right = d_error.host()[0] != cudaSuccess;
  const auto out = d_copy.host();
  const auto marks = d_marks.host();
  for (int r = 0; r < rows; ++r) {
    right = right && marks[r] == (r % 7 == 0 ? 9 : 0);
    for (int i = begins[r]; i < begins[r + 1]; ++i) right = right && out[i] == in[i] * (r + 1);
  }
  return verdict(right);
}

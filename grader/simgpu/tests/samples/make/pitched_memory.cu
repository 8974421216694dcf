/// @file
/// Rows of an odd length in pitched memory, copied in two dimensions.
#include <vector>

#include "check.cuh"

__global__ void double_rows(float* data, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) reinterpret_cast<float*>(reinterpret_cast<char*>(data) + y * pitch)[x] *= 2;
}

int main() {
  const int width = 37, height = 21;
  std::vector<float> image(width * height), result(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = static_cast<float>(i);
  float* device = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&device, &pitch, width * sizeof(float), height));
  const size_t row = width * sizeof(float);
  CHECK(cudaMemcpy2D(device, pitch, image.data(), row, row, height, cudaMemcpyHostToDevice));
  double_rows<<<dim3(divide_up(width, 16), divide_up(height, 16)), dim3(16, 16)>>>(device, pitch, width,
                                                                                   height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2D(result.data(), row, device, pitch, row, height, cudaMemcpyDeviceToHost));
  bool right = pitch >= row && pitch % 32 == 0;
  for (int i = 0; i < width * height; ++i) right = right && result[i] == 2 * image[i];
  CHECK(cudaFree(device));
  return verdict(right);
}

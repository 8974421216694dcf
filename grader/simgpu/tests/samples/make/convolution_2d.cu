/// @file
/// A 5 x 5 filter from constant memory, edges held.
#include "buffer.cuh"

constexpr int kRadius = 2, kWidth = 2 * kRadius + 1;
__constant__ float filter[kWidth * kWidth];

__global__ void convolve(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -kRadius; dy <= kRadius; ++dy)
    for (int dx = -kRadius; dx <= kRadius; ++dx)
      sum += filter[(dy + kRadius) * kWidth + dx + kRadius] *
             in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
  out[y * width + x] = sum;
}

int main() {
  const int width = 70, height = 45;
  float weights[kWidth * kWidth];
  for (int i = 0; i < kWidth * kWidth; ++i) weights[i] = static_cast<float>(i % 3);
  std::vector<float> image(width * height), expected(width * height);
  for (int i = 0; i < width * height; ++i) image[i] = static_cast<float>(i * 37 % 256);
  const auto clamp = [](int v, int most) { return v < 0 ? 0 : v > most ? most : v; };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int dy = -kRadius; dy <= kRadius; ++dy)
        for (int dx = -kRadius; dx <= kRadius; ++dx)
          expected[y * width + x] += weights[(dy + kRadius) * kWidth + dx + kRadius] *
                                     image[clamp(y + dy, height - 1) * width + clamp(x + dx, width - 1)];
  CHECK(cudaMemcpyToSymbol(filter, weights, sizeof weights));
  Buffer<float> in(image), out(image.size());
  convolve<<<dim3(divide_up(width, 16), divide_up(height, 16)), dim3(16, 16)>>>(in, out, width, height);
  CHECK_LAUNCH();
  return verdict(out.host() == expected);
}

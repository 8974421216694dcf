/// @file
/// A Julia set with a complex type of our own, as books have it.
#include "buffer.cuh"

struct Complex {
  float r, i;
  __host__ __device__ Complex(float a, float b) : r(a), i(b) {}
  __host__ __device__ float magnitude2() const { return r * r + i * i; }
  __host__ __device__ Complex operator*(const Complex& a) const {
    return {r * a.r - i * a.i, i * a.r + r * a.i};
  }
  __host__ __device__ Complex operator+(const Complex& a) const { return {r + a.r, i + a.i}; }
};

constexpr int kSize = 100;

__host__ __device__ int julia(int x, int y) {
  const float jx = 1.5f * static_cast<float>(kSize / 2 - x) / (kSize / 2);
  const float jy = 1.5f * static_cast<float>(kSize / 2 - y) / (kSize / 2);
  const Complex c(-0.8f, 0.156f);
  Complex a(jx, jy);
  for (int i = 0; i < 100; ++i) {
    a = a * a + c;
    if (a.magnitude2() > 1000) return 0;
  }
  return 1;
}

__global__ void kernel(unsigned char* rgba) {
  const int x = blockIdx.x, y = blockIdx.y, offset = x + y * gridDim.x;
  rgba[offset * 4 + 0] = static_cast<unsigned char>(255 * julia(x, y));
  rgba[offset * 4 + 1] = 0;
  rgba[offset * 4 + 2] = 0;
  rgba[offset * 4 + 3] = 255;
}

int main() {
  Buffer<unsigned char> image(kSize * kSize * 4);
  kernel<<<dim3(kSize, kSize), 1>>>(image);
  CHECK_LAUNCH();
  const auto pixels = image.host();
  int different = 0;
  for (int y = 0; y < kSize; ++y)
    for (int x = 0; x < kSize; ++x) different += (pixels[(y * kSize + x) * 4] != 0) != (julia(x, y) != 0);
  return verdict(different < kSize);  // the host's compiler contracts other products
}

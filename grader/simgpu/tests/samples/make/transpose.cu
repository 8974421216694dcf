/// @file
/// A transpose in three forms: naive, through a tile, through a padded tile.
#include "buffer.cuh"
#include "timer.cuh"

constexpr int kTile = 32, kRows = 8;

__global__ void naive(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) out[x * height + y + i] = in[(y + i) * width + x];
}

template <int pad>
__global__ void tiled(float* out, const float* in, int width, int height) {
  __shared__ float tile[kTile][kTile + pad];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * width + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int i = 0; i < kTile; i += kRows) out[(y + i) * height + x] = tile[threadIdx.x][threadIdx.y + i];
}

int main() {
  const int width = 256, height = 128;
  std::vector<float> values(width * height), expected(width * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      expected[x * height + y] = values[y * width + x] = static_cast<float>(y * width + x);
  Buffer<float> in(values), out(values.size());
  using Kernel = void (*)(float*, const float*, int, int);
  bool right = true;
  GpuTimer timer;
  for (const Kernel kernel : {Kernel{naive}, Kernel{tiled<0>}, Kernel{tiled<1>}}) {
    out.clear();
    timer.start();
    kernel<<<dim3(width / kTile, height / kTile), dim3(kTile, kRows)>>>(out, in, width, height);
    timer.stop();
    CHECK_LAUNCH();
    std::printf("%.1f GB/s\n", 8e-6 * width * height / timer.milliseconds());
    right = right && out.host() == expected;
  }
  return verdict(right);
}

/// @file
/// A box filter, rows first and then columns.
#include "filter.h"
#include "timer.cuh"

namespace {

__global__ void rows(const unsigned char* in, unsigned short* out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  int sum = 0;
  for (int d = -radius; d <= radius; ++d) sum += in[y * width + min(max(x + d, 0), width - 1)];
  out[y * width + x] = static_cast<unsigned short>(sum);
}

__global__ void columns(const unsigned short* in, unsigned char* out, int width, int height, int radius) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width) return;
  int sum = 0;
  for (int d = -radius; d <= radius; ++d) sum += in[min(max(y + d, 0), height - 1) * width + x];
  out[y * width + x] = static_cast<unsigned char>(sum / ((2 * radius + 1) * (2 * radius + 1)));
}

}  // namespace

extern "C" int box_blur(const unsigned char* in, unsigned char* out, int width, int height, int radius,
                        float* milliseconds) {
  unsigned char *d_in = nullptr, *d_out = nullptr;
  unsigned short* sums = nullptr;
  const size_t bytes = static_cast<size_t>(width) * height;
  CHECK(cudaMalloc(&d_in, bytes));
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMalloc(&sums, 2 * bytes));
  CHECK(cudaMemcpy(d_in, in, bytes, cudaMemcpyHostToDevice));
  const dim3 grid((width + 127) / 128, height);
  GpuTimer timer;
  timer.start();
  rows<<<grid, 128>>>(d_in, sums, width, height, radius);
  columns<<<grid, 128>>>(sums, d_out, width, height, radius);
  timer.stop();
  *milliseconds = timer.milliseconds();
  CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  CHECK(cudaFree(sums));
  return cudaGetLastError();
}

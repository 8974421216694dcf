/// @file
/// C = A B, tile by tile through shared memory.
#include <cstring>

#include "buffer.cuh"
#include "timer.cuh"

template <int tile>
__global__ void multiply(float* c, const float* a, const float* b, int wa, int wb) {
  __shared__ float as[tile][tile], bs[tile][tile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * tile + ty, column = blockIdx.x * tile + tx;
  float sum = 0;
  for (int k0 = 0; k0 < wa; k0 += tile) {
    as[ty][tx] = a[row * wa + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * wb + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile; ++k) sum += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  c[row * wb + column] = sum;
}

int main(int argc, char** argv) {
  int ha = 64, wa = 96, wb = 64;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "-wA=", 4) == 0) wa = std::atoi(argv[i] + 4);
    if (std::strncmp(argv[i], "-hA=", 4) == 0) ha = std::atoi(argv[i] + 4);
    if (std::strncmp(argv[i], "-wB=", 4) == 0) wb = std::atoi(argv[i] + 4);
  }
  std::printf("MatrixA(%d,%d), MatrixB(%d,%d)\n", wa, ha, wb, wa);
  Buffer<float> a(std::vector<float>(ha * wa, 1.0f)), b(std::vector<float>(wa * wb, 0.5f)), c(ha * wb);
  GpuTimer timer;
  timer.start();
  multiply<16><<<dim3(wb / 16, ha / 16), dim3(16, 16)>>>(c, a, b, wa, wb);
  timer.stop();
  CHECK_LAUNCH();
  std::printf("%.2f GFLOP/s\n", 2e-6 * ha * wa * wb / timer.milliseconds());
  bool right = true;
  for (const float v : c.host()) right = right && v == 0.5f * static_cast<float>(wa);
  return verdict(right);
}

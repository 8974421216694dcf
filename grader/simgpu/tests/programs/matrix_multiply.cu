// Tiled matrix multiplication, timed with events.
#include "program.hpp"

template <int kTile>
__global__ void multiply(const float* a, const float* b, float* c, int wa, int wb) {
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < wa / kTile; ++t) {
    as[threadIdx.y][threadIdx.x] = a[row * wa + t * kTile + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t * kTile + threadIdx.y) * wb + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * wb + column] = sum;
}

int main() {
  const int h = 96, wa = 128, wb = 64;
  std::vector<float> a(h * wa), b(wa * wb);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = float(i % 17) - 8;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = float(i % 13) * 0.25f;
  float *da = to_device(a), *db = to_device(b), *dc = nullptr;
  CHECK(cudaMalloc(&dc, h * wb * sizeof(float)));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < 3; ++i) multiply<32><<<dim3(wb / 32, h / 32), dim3(32, 32)>>>(da, db, dc, wa, wb);
  multiply<16><<<dim3(wb / 16, h / 16), dim3(16, 16)>>>(da, db, dc, wa, wb);
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float ms = 0;
  CHECK(cudaEventElapsedTime(&ms, start, stop));
  EXPECT(ms > 0);
  const auto c = to_host(dc, h * wb);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < wb; ++x) {
      double sum = 0;
      for (int k = 0; k < wa; ++k) sum += double(a[y * wa + k]) * b[k * wb + x];
      EXPECT(close(c[y * wb + x], sum));
    }
  return ok();
}

/// @file
/// Memory in the order of a stream, from the device's pool and from one of the program's own.
#include "check.cuh"

__global__ void fill(int* to, int count, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = value;
}

int main() {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaMemPool_t pool, own;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long keep = ~0ull, used = 1;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  bool right = true;
  for (int round = 0; round < 10; ++round) {
    int *few = nullptr, *many = nullptr, last = -1;
    CHECK(cudaMallocAsync(&few, 4000, stream));
    CHECK(cudaMallocAsync(&many, 40000, stream));
    fill<<<4, 256, 0, stream>>>(few, 1000, round);
    fill<<<40, 256, 0, stream>>>(many, 10000, -round);
    CHECK(cudaMemcpyAsync(&last, few + 999, sizeof last, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(few, stream));
    CHECK(cudaFreeAsync(many, stream));
    CHECK(cudaStreamSynchronize(stream));
    right = right && last == round;
  }
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  CHECK(cudaMemPoolTrimTo(pool, 0));
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  CHECK(cudaMemPoolCreate(&own, &properties));
  int* from_own = nullptr;
  CHECK(cudaMallocFromPoolAsync(&from_own, 1 << 16, own, stream));
  fill<<<64, 256, 0, stream>>>(from_own, 1 << 14, 5);
  CHECK(cudaFreeAsync(from_own, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemPoolDestroy(own));
  CHECK(cudaStreamDestroy(stream));
  return verdict(right && used == 0);
}

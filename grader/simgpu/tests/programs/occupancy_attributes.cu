// Occupancy questions and kernel attributes.
#include "program.hpp"

__global__ void plain(int* out) {
  out[threadIdx.x] = threadIdx.x;
}
__global__ void __launch_bounds__(256, 2) bounded(int* out) {
  __shared__ int buffer[1024];
  buffer[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = buffer[255 - threadIdx.x];
}
__global__ void dynamic(int* out, int n) {
  extern __shared__ int big[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) big[i] = i;
  __syncthreads();
  out[threadIdx.x] = big[n - 1 - threadIdx.x];
}

struct EightEach {
  __host__ __device__ std::size_t operator()(int block) const { return std::size_t(block) * 8; }
};

int main() {
  int* out = nullptr;
  CHECK(cudaMalloc(&out, 1024 * sizeof(int)));
  cudaFuncAttributes a;
  CHECK(cudaFuncGetAttributes(&a, bounded));
  EXPECT(a.sharedSizeBytes == 4096 && a.maxThreadsPerBlock == 256 && a.numRegs > 0);
  int blocks = 0, grid = 0, block = 0;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
  EXPECT(blocks == 8);
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 256, 40000));
  EXPECT(blocks == 5);
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, plain));
  EXPECT(block >= 32 && block <= 1024 && grid > 0);
  CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, dynamic, EightEach()));
  EXPECT(block % 32 == 0);
  std::size_t available = 0;
  CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&available, plain, 2, 256));
  EXPECT(available == 48 * 1024);  // what an H200 says of a kernel that did not ask for more

  const int n = 100 * 256;  // 100 KB
  dynamic<<<1, 256, n * sizeof(int)>>>(out, n);
  EXPECT(cudaGetLastError() != cudaSuccess);
  CHECK(cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, n * sizeof(int)));
  CHECK(cudaFuncSetCacheConfig(dynamic, cudaFuncCachePreferShared));
  dynamic<<<1, 256, n * sizeof(int)>>>(out, n);
  CHECK(cudaGetLastError());
  EXPECT(to_host(out, 256)[10] == n - 11);
  bounded<<<1, 512>>>(out);
  EXPECT(cudaGetLastError() != cudaSuccess);
  const char* name = nullptr;
  CHECK(cudaFuncGetName(&name, plain));
  EXPECT(name != nullptr);
  return ok();
}

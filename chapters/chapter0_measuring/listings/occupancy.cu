/// @file
/// Lesson 0, listing "occupancy": asks the runtime how many blocks of a kernel an SM holds.
/// Checks the answer against the sum on paper where shared memory decides.
#include <cstdio>

// [ask]
constexpr int block_threads = 256;
constexpr int entries = 12 * 1024;

/// Each block keeps a table of 48 KB.
/// That decides how many of them an SM holds.
__global__ void with_a_table(float* out) {
  __shared__ float table[entries];
  for (int i = threadIdx.x; i < entries; i += block_threads) table[i] = static_cast<float>(i);
  __syncthreads();
  out[blockIdx.x * block_threads + threadIdx.x] = table[threadIdx.x * 48];
}

int resident_blocks() {
  int blocks = 0;
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, with_a_table, block_threads, 0);
  return blocks;
}
// [ask]

int main() {
  float* out = nullptr;
  if (cudaMalloc(&out, block_threads * sizeof(float)) != cudaSuccess) return 1;
  with_a_table<<<1, block_threads>>>(out);
  float last = 0;
  if (cudaMemcpy(&last, out + block_threads - 1, sizeof(float), cudaMemcpyDeviceToHost) !=
      cudaSuccess)
    return 1;
  cudaFree(out);

  int shared = 0, reserved = 0, threads = 0;
  cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0);
  cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, 0);
  cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  const int by_shared = shared / (48 * 1024 + reserved);
  const int by_threads = threads / block_threads;
  std::printf(
      "by shared memory %d blocks, by threads %d; the runtime says %d, so %d of %d warps\n",
      by_shared, by_threads, resident_blocks(), resident_blocks() * block_threads / 32,
      threads / 32);
  const bool right = resident_blocks() == (by_shared < by_threads ? by_shared : by_threads);
  return right && last == 255.0f * 48 ? 0 : 1;
}

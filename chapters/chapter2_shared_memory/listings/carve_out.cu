/// @file
/// Lesson 2, listing "how much shared memory": asks for more than 48 KB a block and states a wish for the
/// split between L1 cache and shared memory. Checks its own result.
#include <cstdio>
#include <vector>

// [kernel]
/// Reverses chunk blockIdx.x of `count` floats through a tile whose size the launch decides.
__global__ void reverse_chunk(const float* in, float* out, int count) {
  extern __shared__ float tile[];  // its bytes are the third launch argument
  const float* chunk = in + static_cast<std::size_t>(blockIdx.x) * count;
  for (int i = threadIdx.x; i < count; i += blockDim.x) tile[i] = chunk[i];
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    out[static_cast<std::size_t>(blockIdx.x) * count + i] = tile[count - 1 - i];
}
// [kernel]

int main() {
  constexpr int count = 15000;  // 60,000 bytes: more than the 48 KB that every launch may have
  constexpr int chunks = 3;
  std::vector<float> in(count * chunks), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  float* device_in = nullptr;
  float* device_out = nullptr;
  bool right =
      cudaMalloc(&device_in, in.size() * sizeof(float)) == cudaSuccess &&
      cudaMalloc(&device_out, out.size() * sizeof(float)) == cudaSuccess &&
      cudaMemcpy(device_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  // [opt_in]
  const int bytes = count * static_cast<int>(sizeof(float));
  int most = 0;  // 227 KB on an H200, 99 KB on an RTX 40, 64 KB on a T4
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0);
  if (bytes > most) {
    std::printf("this device allows %d bytes of shared memory a block, %d are needed\n", most, bytes);
    return 0;
  }
  // Above 48 KB a kernel has to ask; without this line the launch fails.
  right = right && cudaFuncSetAttribute(reverse_chunk, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
                       cudaSuccess;
  // A wish, in per cent of what can be shared memory: the rest of the same memory serves as L1 cache.
  cudaFuncSetAttribute(reverse_chunk, cudaFuncAttributePreferredSharedMemoryCarveout, 100);
  reverse_chunk<<<chunks, 256, bytes>>>(device_in, device_out, count);
  // [opt_in]
  right =
      right && cudaGetLastError() == cudaSuccess &&
      cudaMemcpy(out.data(), device_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  for (int c = 0; c < chunks; ++c)
    for (int i = 0; i < count; ++i) right = right && out[c * count + i] == in[c * count + count - 1 - i];
  cudaFree(device_in);
  cudaFree(device_out);
  std::printf("%d chunks of %d floats reversed: %s\n", chunks, count, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

/// @file
/// Lesson 2, listing "halo and reuse": the largest of five neighbours, from a tile with a halo of two on each
/// side. The array has no ghost elements here: outside of it nothing is read, and the edge value stands in.
/// Checks its own result.
#include <cstdio>
#include <vector>

// [kernel]
constexpr int radius = 2;
constexpr int block_threads = 256;

/// Writes out[i] = largest of in[i-2] to in[i+2], where an index outside counts as the nearest one inside.
/// Launch contract: n / block_threads blocks, rounded up, of block_threads threads.
__global__ void local_maximum(const float* in, float* out, int n) {
  alignas(16) __shared__ float tile[block_threads + 2 * radius];
  const int t = threadIdx.x;
  const int first = blockIdx.x * block_threads;  // the block's first output
  const int i = first + t;

  // The tile holds the inputs first - radius to first + block_threads + radius - 1. The block's 256 threads
  // fetch its 260 values in two turns: all threads one value, then the first four threads one more.
  for (int k = t; k < block_threads + 2 * radius; k += block_threads) {
    const int wanted = first - radius + k;
    const int inside = wanted < 0 ? 0 : wanted < n ? wanted : n - 1;
    tile[k] = in[inside];
  }
  __syncthreads();

  if (i < n) {
    float largest = tile[t];
    for (int d = 1; d <= 2 * radius; ++d) largest = fmaxf(largest, tile[t + d]);
    out[i] = largest;
  }
}
// [kernel]

int main() {
  bool right = true;
  for (const int n : {1, 255, 256, 257, 5000}) {
    std::vector<float> in(n), out(n);
    for (int i = 0; i < n; ++i) in[i] = static_cast<float>(static_cast<long long>(i) * 7919 % 10007);
    float* device_in = nullptr;
    float* device_out = nullptr;
    right = right && cudaMalloc(&device_in, n * sizeof(float)) == cudaSuccess &&
            cudaMalloc(&device_out, n * sizeof(float)) == cudaSuccess &&
            cudaMemcpy(device_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
    local_maximum<<<(n + block_threads - 1) / block_threads, block_threads>>>(device_in, device_out, n);
    right = right && cudaGetLastError() == cudaSuccess &&
            cudaMemcpy(out.data(), device_out, n * sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
    for (int i = 0; i < n; ++i) {
      float largest = in[i];
      for (int d = -radius; d <= radius; ++d) {
        const int inside = i + d < 0 ? 0 : i + d < n ? i + d : n - 1;
        if (in[inside] > largest) largest = in[inside];
      }
      right = right && out[i] == largest;
    }
    cudaFree(device_in);
    cudaFree(device_out);
  }
  std::printf("largest of five neighbours: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}

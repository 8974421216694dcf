/// @file
/// Lesson 0, listing "how to time": the bandwidth of a kernel that fills an array, from events,
/// with a warm-up and a median. Checks that the array is full and that the figure is one that a
/// memory could reach.
#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void fill(float* out, float value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

/// Milliseconds of the median launch of `launches`, or -1 if a call failed.
// [timing]
float median_milliseconds(float* out, int n, int launches) {
  cudaEvent_t before, after;
  cudaEventCreate(&before);
  cudaEventCreate(&after);

  std::vector<float> milliseconds;
  for (int k = -2; k < launches; ++k) {  // launches -2 and -1 are the warm-up
    cudaEventRecord(before);
    fill<<<(n + 255) / 256, 256>>>(out, 1.0f, n);
    cudaEventRecord(after);
    cudaEventSynchronize(after);  // the host waits until the kernel is done
    float one = 0;
    cudaEventElapsedTime(&one, before, after);
    if (k >= 0) milliseconds.push_back(one);
  }
  cudaEventDestroy(before);
  cudaEventDestroy(after);

  std::sort(milliseconds.begin(), milliseconds.end());
  if (cudaGetLastError() != cudaSuccess) return -1.0f;
  return milliseconds[milliseconds.size() / 2];
}
// [timing]

int main() {
  constexpr int n = 1 << 22;
  float* out = nullptr;
  if (cudaMalloc(&out, n * sizeof(float)) != cudaSuccess) return 1;
  const float milliseconds = median_milliseconds(out, n, 5);

  // [bandwidth]
  const double bytes = 4.0 * n;  // each element is written once and read never
  const double gigabytes_per_second = bytes / (milliseconds * 1e-3) / 1e9;
  // [bandwidth]

  float last = 0;
  const bool copied =
      cudaMemcpy(&last, out + n - 1, sizeof(float), cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(out);
  std::printf("filled %.1f MB in %.4f ms: %.0f GB/s\n", bytes / 1e6, milliseconds,
              gigabytes_per_second);
  return copied && last == 1.0f && milliseconds > 0 && gigabytes_per_second < 20000 ? 0 : 1;
}

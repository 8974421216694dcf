/// @file
/// Lesson 1, listing "a load that nobody needs": two kernels that read an array, of which one
/// reads nothing. Checks that the honest one saw every element.
#include <cstdio>
#include <vector>

// [dropped]
/// Meant to measure how fast an array can be read.
/// The compiler removes the load: its value goes nowhere.
__global__ void read_dropped(const float* in, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float value = in[i];
    value = value * 2.0f;
  }
}
// [dropped]

// [kept]
/// The value decides whether something is stored.
/// It never is, but the compiler cannot know that.
__global__ void read_kept(const float* in, int n, float never, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == never) *found = i;
}
// [kept]

int main() {
  constexpr int n = 10000;
  std::vector<float> in(n, 1.0f);
  in[9876] = 7.0f;
  float* device = nullptr;
  int* found = nullptr;
  bool right =
      cudaMalloc(&device, n * sizeof(float)) == cudaSuccess &&
      cudaMalloc(&found, sizeof(int)) == cudaSuccess &&
      cudaMemset(found, 0, sizeof(int)) == cudaSuccess &&
      cudaMemcpy(device, in.data(), n * sizeof(float), cudaMemcpyHostToDevice) == cudaSuccess;
  read_dropped<<<(n + 255) / 256, 256>>>(device, n);
  read_kept<<<(n + 255) / 256, 256>>>(device, n, 7.0f, found);
  int at = -1;
  right = right && cudaGetLastError() == cudaSuccess &&
          cudaMemcpy(&at, found, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess &&
          at == 9876;
  cudaFree(device);
  cudaFree(found);
  std::printf("the 7 was found at %d: %s\n", at, right ? "right" : "WRONG");
  return right ? 0 : 1;
}

/// @file
/// Lesson 0, listing "the launch that never was": a block of 2048 threads. The program goes on
/// as if nothing had happened; only who asks is told. Checks that this is so.
#include <cstdio>

// [silent]
__global__ void fill(int* out, int value) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

/// Writes 7 into all 2048 elements of `out`, which lies on the device. Or does it?
void fill_with_seven(int* out) {
  fill<<<1, 2048>>>(out, 7);
}
// [silent]

int main() {
  int* out = nullptr;
  if (cudaMalloc(&out, 2048 * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMemset(out, 0, 2048 * sizeof(int)) != cudaSuccess) return 1;
  fill_with_seven(out);

  // [heard]
  const cudaError_t error = cudaGetLastError();
  std::printf("the launch says: %s\n", cudaGetErrorString(error));
  // [heard]

  int first = -1;
  const bool copied =
      cudaMemcpy(&first, out, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess;
  std::printf("out[0] is %d\n", first);
  cudaFree(out);
  return copied && error != cudaSuccess && first == 0 ? 0 : 1;
}

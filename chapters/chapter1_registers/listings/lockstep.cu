/// @file
/// Lesson 1, listing "warps do not run in step": the lanes of one warp hand values on through
/// shared memory. With an argument the program runs the kernel that forgets to wait, for you to
/// try; without one it checks the sound one.
#include <cstdio>
#include <vector>

// [wrong]
/// Each lane passes its value to the lane before it. One warp. WRONG: nobody waits.
__global__ void pass_on_wrong(const int* in, int* out) {
  __shared__ int slot[32];
  const int lane = threadIdx.x;
  slot[lane] = in[lane];
  out[lane] = slot[(lane + 1) % 32];  // has the neighbour written yet?
}
// [wrong]

// [right]
/// The same, and every lane waits until all 32 have written.
__global__ void pass_on(const int* in, int* out) {
  __shared__ int slot[32];
  const int lane = threadIdx.x;
  slot[lane] = in[lane];
  __syncwarp();
  out[lane] = slot[(lane + 1) % 32];
}
// [right]

// [shuffle]
/// The same without shared memory: a shuffle is exchange and meeting in one.
__global__ void pass_on_by_shuffle(const int* in, int* out) {
  const int lane = threadIdx.x;
  out[lane] = __shfl_sync(0xffffffffu, in[lane], (lane + 1) % 32);
}
// [shuffle]

bool passes(void (*kernel)(const int*, int*)) {
  std::vector<int> in(32), out(32, -1);
  for (int i = 0; i < 32; ++i) in[i] = 100 + i;
  int* device = nullptr;
  bool well =
      cudaMalloc(&device, 64 * sizeof(int)) == cudaSuccess &&
      cudaMemcpy(device, in.data(), 32 * sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess;
  kernel<<<1, 32>>>(device, device + 32);
  well = well && cudaGetLastError() == cudaSuccess &&
         cudaMemcpy(out.data(), device + 32, 32 * sizeof(int), cudaMemcpyDeviceToHost) ==
             cudaSuccess;
  for (int i = 0; i < 32; ++i) well = well && out[i] == in[(i + 1) % 32];
  cudaFree(device);
  return well;
}

int main(int count, char**) {
  const bool right =
      count > 1 ? passes(pass_on_wrong) : passes(pass_on) && passes(pass_on_by_shuffle);
  std::printf("values passed on: %s\n", right ? "right" : "WRONG");
  return right ? 0 : 1;
}

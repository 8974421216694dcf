// expect: too_slow
/// @file
/// Sound in another style, and slow on a card as well: two motions in constant memory, of which an argument names the present one; loops stay loops.
#include "transform_points.cuh"
// two slots, the current one is an argument; loops stay loops
struct motion {
  float m[8][4][4];
};
__constant__ motion slots[2];
static int slot = 1;
__global__ void kernel(const float4* in, float4* out, std::size_t n, int which) {
  const std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const float4 p = in[i];
  float x[4] = {0, 0, 0, 0};
  float power = 1;
#pragma unroll 1
  for (int k = 0; k < 8; ++k, power *= p.w) {
    const float(&m)[4][4] = slots[which].m[k];
#pragma unroll
    for (int r = 0; r < 4; ++r) x[r] += power * (m[r][0] * p.x + m[r][1] * p.y + m[r][2] * p.z + m[r][3]);
  }
  out[i] = make_float4(x[0], x[1], x[2], x[3]);
}
extern "C" void transform_points_setup(const float* m, cudaStream_t s) {
  slot ^= 1;
  cudaMemcpyToSymbolAsync(slots, m, sizeof(motion), slot * sizeof(motion), cudaMemcpyDeviceToDevice, s);
}
extern "C" void transform_points_run(const float4* in, float4* out, std::size_t n, cudaStream_t s) {
  if (n == 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3((unsigned)((n + 511) / 512));
  config.blockDim = dim3(512);
  config.stream = s;
  cudaLaunchKernelEx(&config, kernel, in, out, n, slot);
}
extern "C" void transform_points_matrices(float* m, cudaStream_t s) {
  cudaMemcpyFromSymbolAsync(m, slots, sizeof(motion), slot * sizeof(motion), cudaMemcpyDeviceToDevice, s);
}

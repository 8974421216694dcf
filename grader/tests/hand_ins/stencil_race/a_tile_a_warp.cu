// expect: pass
/// @file
/// Another sound repair: every warp of the block has a tile of its own, and a warp's barrier orders it.
#include "stencil_race.cuh"

__global__ void sums(const float* in, float* out, std::size_t n) {
  alignas(16) __shared__ float tile[8][32 + 6];
  float* const own = tile[threadIdx.x / 32];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  const float* const center = in + i;
  if (i < n + 3) own[lane + 3] = center[0];
  if (lane < 3 && i < n + 3) own[lane] = center[-3];
  if (lane < 3 && i + 32 < n + 3) own[lane + 35] = center[32];
  __syncwarp();
  if (i >= n) return;
  float sum = 0.0f;
  for (int d = 0; d < 7; ++d) sum += own[lane + d];
  out[i] = sum;
}

extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0) sums<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

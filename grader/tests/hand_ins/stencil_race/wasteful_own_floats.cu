// expect: wasteful off_the_idea
/// @file
/// Each thread puts its own float into the tile and takes it out again; its neighbours' come by shuffles and loads.
/// So nobody needs a barrier.
#include "stencil_race.cuh"
__global__ void stencil(const float* in, float* out, std::size_t n) {
  __shared__ volatile float tile[256];
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32;
  float own = 0.0f, edge = 0.0f;
  if (i < n + 3) own = in[i];
  const std::size_t base = i - lane;
  if (lane < 3)
    edge = base < n + 3 ? (in + base)[lane - 3] : 0.0f;
  else if (lane < 6 && base + 32 + lane - 3 < n + 3)
    edge = in[base + 32 + lane - 3];
  tile[threadIdx.x] = own;
  float sum = tile[threadIdx.x];
  sum = 0.5f * sum + 0.5f * tile[threadIdx.x];
  for (int d = 1; d <= 3; ++d) {
    const float left = __shfl_sync(~0u, own, (lane - d) & 31),
                far_left = __shfl_sync(~0u, edge, (lane - d + 3) & 31);
    const float right = __shfl_sync(~0u, own, (lane + d) & 31),
                far_right = __shfl_sync(~0u, edge, (lane + d - 32 + 3) & 31);
    sum += lane - d >= 0 ? left : far_left;
    sum += lane + d < 32 ? right : far_right;
  }
  if (i < n) out[i] = sum;
}
extern "C" void stencil_race_run(const float* in, float* out, std::size_t n, cudaStream_t stream) {
  if (n > 0) stencil<<<static_cast<unsigned int>((n + 255) / 256), 256, 0, stream>>>(in, out, n);
}

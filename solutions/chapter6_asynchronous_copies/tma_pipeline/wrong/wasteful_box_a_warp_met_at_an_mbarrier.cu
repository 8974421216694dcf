// expect: too_slow|wasteful latency
/// @file
/// A box and a barrier for each warp, and all warps meet before they use them, at an mbarrier in place of __syncthreads(): right, and all
/// boxes come while nobody works.
#include "tma_pipeline.cuh"

__global__ void step(float* out, const __grid_constant__ CUtensorMap map, int width, int height, float rate,
                     int across, int tiles) {
  extern __shared__ __align__(128) float boxes[];
  __shared__ std::uint64_t come[8], met;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float* const box = boxes + warp * 128 * 32;
  if (lane == 0) barrier_init(&come[warp]);
  if (threadIdx.x == 0) barrier_init(&met, 8);
  __syncthreads();
  std::uint32_t phase = 0;
  for (int first = static_cast<int>(blockIdx.x); first < tiles;
       first += 8 * static_cast<int>(gridDim.x), phase ^= 1) {
    const int t = first + warp * static_cast<int>(gridDim.x);
    const int left = t % across * 120, top = t / across * 30;
    if (lane == 0 && t < tiles) {
      expect_bytes(&come[warp], 16'384);
      tensor_load(box, &map, left - 4, top - 1, &come[warp]);
    }
    if (t < tiles) wait_phase(&come[warp], phase);
    __syncwarp();
    if (lane == 0) arrive(&met);
    wait_phase(&met, phase);
    for (int row = 0; t < tiles && row < 30 && top + row < height; ++row) {
      for (int column = lane; column < 120 && left + column < width; column += 32) {
        const float* const c = box + (row + 1) * 128 + column + 4;
        out[static_cast<std::size_t>(top + row) * width + left + column] =
            c[0] + rate * (c[-128] + c[-1] + c[1] + c[128] - 4.0f * c[0]);
      }
    }
    __syncwarp();  // all lanes have used the box
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const auto across = static_cast<int>((width + 119) / 120);
  const int tiles = across * static_cast<int>((height + 29) / 30);
  constexpr int bytes = 8 * 16'384;
  cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  step<<<blocks, 256, bytes, stream>>>(out, image_map(in, width, height), static_cast<int>(width),
                                       static_cast<int>(height), rate, across, tiles);
}

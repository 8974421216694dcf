// expect: pass
/// @file
/// Sound in another style: each warp has a box and a barrier of its own, and the block never meets. While one warp works, the boxes of the
/// others are on their way.
#include "tma_pipeline.cuh"

__global__ void step(float* out, const __grid_constant__ CUtensorMap map, int width, int height, float rate,
                     int across, int tiles) {
  extern __shared__ __align__(128) float boxes[];
  __shared__ std::uint64_t come[8];
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  float* const box = boxes + warp * 128 * 32;
  if (lane == 0) barrier_init(&come[warp]);
  __syncwarp();
  std::uint32_t phase = 0;
  for (int t = static_cast<int>(blockIdx.x) + warp * static_cast<int>(gridDim.x); t < tiles;
       t += 8 * static_cast<int>(gridDim.x), phase ^= 1) {
    const int left = t % across * 120, top = t / across * 30;
    if (lane == 0) {
      expect_bytes(&come[warp], 16'384);
      tensor_load(box, &map, left - 4, top - 1, &come[warp]);
    }
    wait_phase(&come[warp], phase);
    for (int row = 0; row < 30 && top + row < height; ++row) {
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

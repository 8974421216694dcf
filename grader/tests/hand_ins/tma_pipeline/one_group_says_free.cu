// expect: race
/// @file
/// Workers in two groups, each with a named barrier of its own. The first one says that a box is free; the second one may
/// still read it. On the simulated GPU it never does, so the order has to be looked at.
#include "tma_pipeline.cuh"
constexpr unsigned int W = tma_pipeline_box_width, H = tma_pipeline_box_height, bytes = W * H * 4, stages = 3,
                       workers = 8;
__global__ void __launch_bounds__(32 * (workers + 1))
    heat(float* out, const __grid_constant__ CUtensorMap map, unsigned int width, unsigned int height,
         float rate, unsigned int across, unsigned int tiles) {
  extern __shared__ __align__(128) char ring[];
  __shared__ std::uint64_t full[stages], empty[stages];
  const unsigned int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0)
    for (unsigned int s = 0; s < stages; ++s) {
      barrier_init(&full[s]);
      barrier_init(&empty[s]);
    }
  __syncthreads();
  if (warp == workers) {
    if (lane != 0) return;
    unsigned int k = 0;
    for (unsigned int t = blockIdx.x; t < tiles; t += gridDim.x, ++k) {
      const unsigned int s = k % stages;
      wait_phase(&empty[s], (k / stages & 1) ^ 1);
      expect_bytes(&full[s], bytes);
      tensor_load(ring + s * bytes, &map, static_cast<int>(t % across * 120) - 4,
                  static_cast<int>(t / across * 30) - 1, &full[s]);
    }
    return;
  }
  unsigned int k = 0;
  for (unsigned int t = blockIdx.x; t < tiles; t += gridDim.x, ++k) {
    const unsigned int s = k % stages, x0 = t % across * 120, y0 = t / across * 30;
    wait_phase(&full[s], k / stages & 1);
    const float* box = reinterpret_cast<const float*>(ring + s * bytes);
    for (unsigned int row = warp; row < 30 && y0 + row < height; row += workers)
      for (unsigned int col = lane; col < 120 && x0 + col < width; col += 32) {
        const float* c = box + (row + 1) * W + col + 4;
        out[std::size_t{y0 + row} * width + x0 + col] =
            c[0] + rate * (c[-static_cast<int>(W)] + c[-1] + c[1] + c[W] - 4.0f * c[0]);
      }
    asm volatile("bar.sync %0, 128;" ::"r"(1 + warp / 4) : "memory");
    if (threadIdx.x == 0) arrive(&empty[s]);
  }
}
extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const CUtensorMap map = image_map(in, width, height);
  const auto across = static_cast<unsigned int>((width + 119) / 120),
             tiles = static_cast<unsigned int>(across * ((height + 29) / 30));
  cudaFuncSetAttribute(heat, cudaFuncAttributeMaxDynamicSharedMemorySize, stages * bytes);
  const unsigned int grid = tiles < blocks ? tiles : blocks;
  heat<<<grid, 32 * (workers + 1), stages * bytes, stream>>>(
      out, map, static_cast<unsigned int>(width), static_cast<unsigned int>(height), rate, across, tiles);
}

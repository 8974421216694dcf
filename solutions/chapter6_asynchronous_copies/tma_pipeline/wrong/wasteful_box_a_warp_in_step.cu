// expect: too_slow|wasteful
/// @file
/// A box and a barrier for each warp, and the block meets before they are used and afterwards: right, and all boxes come while nobody
/// works.
#include "tma_pipeline.cuh"

__device__ void put(float* out, const float* box, unsigned x, unsigned y, unsigned w, unsigned h, float rate,
                    unsigned who, unsigned of) {
  for (unsigned i = who; i < 120 * 30; i += of) {
    const unsigned c = i % 120, r = i / 120;
    if (x + c >= w || y + r >= h) continue;
    const float* const p = box + (r + 1) * 128 + c + 4;
    out[(size_t)(y + r) * w + x + c] = p[0] + rate * (p[-128] + p[-1] + p[1] + p[128] - 4.0f * p[0]);
  }
}

__global__ void kernel(float* out, const __grid_constant__ CUtensorMap map, unsigned w, unsigned h,
                       float rate, unsigned across, unsigned tiles) {
  extern __shared__ __align__(128) float boxes[];
  __shared__ std::uint64_t full[8];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) barrier_init(&full[warp]);
  __syncwarp();
  std::uint32_t phase = 0;
  for (unsigned first = blockIdx.x; first < tiles; first += 8 * gridDim.x, phase ^= 1) {
    const unsigned t = first + warp * gridDim.x;
    if (t < tiles) {
      if (lane == 0) {
        expect_bytes(&full[warp], 16384);
        tensor_load(boxes + warp * 4096, &map, (int)(t % across * 120) - 4, (int)(t / across * 30) - 1,
                    &full[warp]);
      }
      wait_phase(&full[warp], phase);
    }
    __syncthreads();
    if (t < tiles) put(out, boxes + warp * 4096, t % across * 120, t / across * 30, w, h, rate, lane, 32);
    __syncthreads();
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (!width || !height) return;
  const unsigned across = (width + 119) / 120, tiles = across * ((height + 29) / 30);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 8 * 16384);
  const unsigned grid = tiles < blocks ? tiles : blocks;
  kernel<<<grid, 256, 8 * 16384, stream>>>(out, image_map(in, width, height), (unsigned)width,
                                           (unsigned)height, rate, across, tiles);
}

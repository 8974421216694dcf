// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: no producer. All threads compute, meet, and then thread 0 asks for the box that comes into the buffer they have
/// all used.
#include "tma_pipeline.cuh"

constexpr int stages = 5, box_floats = 128 * 32;

__global__ void step(float* out, const __grid_constant__ CUtensorMap map, int width, int height, float rate,
                     int across, int tiles) {
  extern __shared__ __align__(128) float ring[];
  __shared__ std::uint64_t full[stages];
  if (threadIdx.x == 0)
    for (auto& barrier : full) barrier_init(&barrier);
  __syncthreads();
  const auto ask = [&](int k) {
    const int t = static_cast<int>(blockIdx.x) + k * static_cast<int>(gridDim.x);
    if (threadIdx.x != 0 || t >= tiles) return;
    expect_bytes(&full[k % stages], box_floats * sizeof(float));
    tensor_load(ring + k % stages * box_floats, &map, t % across * 120 - 4, t / across * 30 - 1,
                &full[k % stages]);
  };
  for (int k = 0; k < stages; ++k) ask(k);
  for (int k = 0, t = static_cast<int>(blockIdx.x); t < tiles; ++k, t += static_cast<int>(gridDim.x)) {
    wait_phase(&full[k % stages], static_cast<std::uint32_t>(k / stages % 2));
    const float* const box = ring + k % stages * box_floats;
    for (int i = static_cast<int>(threadIdx.x); i < 120 * 30; i += static_cast<int>(blockDim.x)) {
      const int column = i % 120, row = i / 120, x = t % across * 120 + column, y = t / across * 30 + row;
      if (x >= width || y >= height) continue;
      const float* const c = box + (row + 1) * 128 + column + 4;
      out[static_cast<std::size_t>(y) * width + x] =
          c[0] + rate * (c[-128] + c[-1] + c[1] + c[128] - 4.0f * c[0]);
    }
    __syncthreads();
    ask(k + stages);
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const auto across = static_cast<int>((width + 119) / 120);
  const int tiles = across * static_cast<int>((height + 29) / 30);
  constexpr int bytes = stages * box_floats * sizeof(float);
  cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  step<<<blocks, 320, bytes, stream>>>(out, image_map(in, width, height), static_cast<int>(width),
                                       static_cast<int>(height), rate, across, tiles);
}

// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: the library's own barriers, full and empty, whose tokens say which phase a wait means; a whole warp produces, and
/// all threads of the workers arrive.
#include <cuda/barrier>
#include <cuda/ptx>

#include "tma_pipeline.cuh"

namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int stages = 4, box_floats = 128 * 32, workers = 256;

__global__ void step(float* out, const __grid_constant__ CUtensorMap map, int width, int height, float rate,
                     int across, int tiles) {
  extern __shared__ __align__(128) float ring[];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[stages], empty[stages];
  if (threadIdx.x == 0) {
    for (int s = 0; s < stages; ++s) {
      init(&full[s], workers + 32);
      init(&empty[s], workers + 32);
    }
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  const bool produces = threadIdx.x >= workers;
  if (!produces)
    for (auto& one : empty) (void)one.arrive();  // all buffers are free
  int s = 0;
  for (int t = static_cast<int>(blockIdx.x); t < tiles;
       t += static_cast<int>(gridDim.x), s = (s + 1) % stages) {
    const int left = t % across * 120, top = t / across * 30;
    if (produces) {
      empty[s].wait(empty[s].arrive());
      if (threadIdx.x == workers) {
        const int corner[] = {left - 4, top - 1};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, ring + s * box_floats, &map, corner,
                                  cuda::device::barrier_native_handle(full[s]));
        (void)cuda::device::barrier_arrive_tx(full[s], 1, box_floats * sizeof(float));
      } else {
        (void)full[s].arrive();
      }
      continue;
    }
    full[s].wait(full[s].arrive());
    const float* const box = ring + s * box_floats;
    for (int i = static_cast<int>(threadIdx.x); i < 120 * 30; i += workers) {
      const int column = i % 120, row = i / 120;
      if (left + column >= width || top + row >= height) continue;
      const float* const c = box + (row + 1) * 128 + column + 4;
      out[static_cast<std::size_t>(top + row) * width + left + column] =
          c[0] + rate * (c[-128] + c[-1] + c[1] + c[128] - 4.0f * c[0]);
    }
    (void)empty[s].arrive();
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const auto across = static_cast<int>((width + 119) / 120);
  const int tiles = across * static_cast<int>((height + 29) / 30);
  constexpr int bytes = stages * box_floats * sizeof(float);
  cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  step<<<blocks, workers + 32, bytes, stream>>>(out, image_map(in, width, height), static_cast<int>(width),
                                                static_cast<int>(height), rate, across, tiles);
}

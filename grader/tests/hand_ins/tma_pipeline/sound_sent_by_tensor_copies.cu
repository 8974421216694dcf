// expect: pass
// on gpu: too_slow
/// @file
/// Sound in another style: the outputs go back to shared memory, and a tensor copy sends them. It cuts off what sticks out of the
/// image, so that no thread asks where the image ends.
#include "tma_pipeline.cuh"

constexpr int stages = 4, box_floats = 128 * 32, tile_floats = 120 * 30;

CUtensorMap map_of_outputs(float* out, std::size_t width, std::size_t height) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult answer{};
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {width, height}, strides[] = {4 * width};
  const cuuint32_t box[] = {120, 30}, steps[] = {1, 1};
  CUtensorMap map{};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, out, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

__global__ void step(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                     float rate, int across, int tiles) {
  extern __shared__ __align__(128) float ring[];
  float* const result = ring + stages * box_floats;
  __shared__ std::uint64_t full[stages];
  if (threadIdx.x == 0)
    for (auto& barrier : full) barrier_init(&barrier);
  __syncthreads();
  const auto ask = [&](int k) {
    const int t = static_cast<int>(blockIdx.x) + k * static_cast<int>(gridDim.x);
    if (threadIdx.x != 0 || t >= tiles) return;
    expect_bytes(&full[k % stages], box_floats * sizeof(float));
    tensor_load(ring + k % stages * box_floats, &from, t % across * 120 - 4, t / across * 30 - 1,
                &full[k % stages]);
  };
  for (int k = 0; k < stages; ++k) ask(k);
  for (int k = 0, t = static_cast<int>(blockIdx.x); t < tiles; ++k, t += static_cast<int>(gridDim.x)) {
    wait_phase(&full[k % stages], static_cast<std::uint32_t>(k / stages % 2));
    const float* const box = ring + k % stages * box_floats;
    for (int i = static_cast<int>(threadIdx.x); i < tile_floats; i += static_cast<int>(blockDim.x)) {
      const float* const c = box + (i / 120 + 1) * 128 + i % 120 + 4;
      result[i] = c[0] + rate * (c[-128] + c[-1] + c[1] + c[128] - 4.0f * c[0]);
    }
    writes_for_copies();
    __syncthreads();
    ask(k + stages);
    if (threadIdx.x == 0) {
      tensor_store(&to, t % across * 120, t / across * 30, result);
      bulk_store_wait_read<0>();
    }
    __syncthreads();
  }
}

extern "C" void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height,
                                 float rate, unsigned int blocks, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const auto across = static_cast<int>((width + 119) / 120);
  const int tiles = across * static_cast<int>((height + 29) / 30);
  constexpr int bytes = (stages * box_floats + tile_floats) * sizeof(float);
  cudaFuncSetAttribute(step, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  step<<<blocks, 256, bytes, stream>>>(image_map(in, width, height), map_of_outputs(out, width, height), rate,
                                       across, tiles);
}

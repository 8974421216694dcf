// expect: pass
/// @file
/// Sound in another style: four tiles a block, one after the other. Their barrier serves for one phase, is given up, and is initialised anew
/// for the next tile. Both maps are made at each call, and tensor copies store the tiles.
#include <cuda.h>

#include "tensor_tile.cuh"

struct tensor_tile_state {
  void* image;
  std::size_t pitch;
};

static CUtensorMap describe(void* where, std::size_t width, std::size_t height, std::size_t pitch,
                            std::size_t element_bytes) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {width, height}, strides[] = {pitch};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(128 / element_bytes), 32}, steps[] = {1, 1};
  CUtensorMap map;
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &map, element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, where,
      sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

__global__ void cut(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                    int across, int all, int row_elements) {
  __shared__ alignas(128) char tile[4096];
  __shared__ std::uint64_t full;
  const int first = 4 * static_cast<int>(blockIdx.x), count = min(4, all - first);
  for (int t = first; t < first + count; ++t) {
    barrier_init(&full);
    expect_bytes(&full, 4096);
    tensor_load(tile, &from, t % across * row_elements, t / across * 32, &full);
    wait_phase(&full, 0);
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_offset(&full)) : "memory");
    tensor_store(&to, 0, 32 * t, tile);
    bulk_store_wait_read<0>();
  }
}

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t, std::size_t,
                                                std::size_t pitch, std::size_t) {
  return new tensor_tile_state{const_cast<void*>(image), pitch};
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  if (width == 0 || height == 0) return;
  const int row = static_cast<int>(128 / element_bytes);
  const int across = (static_cast<int>(width) + row - 1) / row, down = (static_cast<int>(height) + 31) / 32;
  const int all = across * down;
  cut<<<(all + 3) / 4, 1, 0, stream>>>(
      describe(state->image, width, height, state->pitch, element_bytes),
      describe(tiles, static_cast<std::size_t>(row), 32 * std::size_t(all), 128, element_bytes), across, all,
      row);
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  delete state;
}

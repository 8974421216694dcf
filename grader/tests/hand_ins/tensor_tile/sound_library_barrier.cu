// expect: pass
/// @file
/// Sound in another style: the library's barrier and its names for the copies, words in place of numbers in the map, a few blocks
/// that walk through all tiles, and threads that store.
#include <cuda.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "tensor_tile.cuh"

using barrier = cuda::barrier<cuda::thread_scope_block>;

struct alignas(64) tensor_tile_state {
  CUtensorMap map;
};

__global__ void __launch_bounds__(128) cut(uint4* tiles, const __grid_constant__ tensor_tile_state state,
                                           int across, int all, int row_elements) {
  __shared__ alignas(128) uint4 tile[256];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  for (int t = static_cast<int>(blockIdx.x); t < all; t += static_cast<int>(gridDim.x)) {
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
      const int corner[] = {t % across * row_elements, t / across * 32};
      cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, tile, &state.map,
                                      corner, cuda::device::barrier_native_handle(full));
      token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
    } else {
      token = full.arrive();
    }
    full.wait(std::move(token));
    for (int k = static_cast<int>(threadIdx.x); k < 256; k += 128) tiles[256 * std::size_t(t) + k] = tile[k];
    __syncthreads();  // all have read it
  }
}

extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t width, std::size_t height,
                                                std::size_t pitch, std::size_t element_bytes) {
  auto* const state = new tensor_tile_state;
  if (width * height == 0) return state;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {width, height}, strides[] = {pitch};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(128 / element_bytes), 32}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &state->map, element_bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16 : CU_TENSOR_MAP_DATA_TYPE_UINT32, 2,
      const_cast<void*>(image), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return state;
}

extern "C" void tensor_tile_run(tensor_tile_state* state, void* tiles, std::size_t width, std::size_t height,
                                std::size_t element_bytes, cudaStream_t stream) {
  if (width * height == 0) return;
  const int row = static_cast<int>(128 / element_bytes);
  const int across = (static_cast<int>(width) + row - 1) / row, down = (static_cast<int>(height) + 31) / 32;
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cut<<<min(across * down, 16 * sms), 128, 0, stream>>>(static_cast<uint4*>(tiles), *state, across,
                                                        across * down, row);
}

extern "C" void tensor_tile_teardown(tensor_tile_state* state) {
  delete state;
}

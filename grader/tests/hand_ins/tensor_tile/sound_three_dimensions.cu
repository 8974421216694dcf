// expect: pass
/// @file
/// Sound in another style: a tensor of three dimensions whose elements are unsigned numbers; bytes are announced first, and both arrivals
/// follow.
#include <cuda.h>
#include "tensor_tile.cuh"
// the image as rank-3 tensor of 16-bit or 32-bit unsigned numbers, map in constant memory is not needed: __grid_constant__; entry point by the older query
struct tensor_tile_state {
  CUtensorMap map;
};
__global__ void kernel(char* tiles, const __grid_constant__ CUtensorMap map, unsigned per_row) {
  extern __shared__ char raw[];
  char* tile = raw + (128 - ((unsigned)__cvta_generic_to_shared(raw) & 127)) % 128;
  std::uint64_t* full = (std::uint64_t*)(tile + 4096);
  if (threadIdx.x == 0) {
    barrier_init(full, 2);
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_offset(full)),
                 "r"(4096)
                 : "memory");
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, "
        "%3, %4}], [%5];" ::"r"(shared_offset(tile)),
        "l"(&map), "r"((int)(blockIdx.x * per_row)), "r"((int)(blockIdx.y * 32)), "r"(0),
        "r"(shared_offset(full))
        : "memory");
    arrive(full);
    arrive(full);
    wait_phase(full, 0);
    bulk_store(tiles + ((std::size_t)blockIdx.y * gridDim.x + blockIdx.x) * 4096, tile, 4096);
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t w, std::size_t h,
                                                std::size_t pitch, std::size_t eb) {
  if (!w || !h) return nullptr;
  void* p = nullptr;
  cudaDriverEntryPointQueryResult q;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12040, cudaEnablePerThreadDefaultStream, &q);
  auto* s = new tensor_tile_state;
  cuuint64_t sizes[3] = {w, h, 1}, strides[2] = {pitch, pitch * h};
  cuuint32_t box[3] = {(cuuint32_t)(128 / eb), 32, 1}, steps[3] = {1, 1, 1};
  ((decltype(&cuTensorMapEncodeTiled))p)(
      &s->map, eb == 2 ? CU_TENSOR_MAP_DATA_TYPE_UINT16 : CU_TENSOR_MAP_DATA_TYPE_UINT32, 3, (void*)image,
      sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return s;
}
extern "C" void tensor_tile_run(tensor_tile_state* s, void* tiles, std::size_t w, std::size_t h,
                                std::size_t eb, cudaStream_t stream) {
  if (!s) return;
  const unsigned per_row = 128 / eb;
  kernel<<<dim3((w + per_row - 1) / per_row, (h + 31) / 32), 32, 4096 + 128 + 16, stream>>>((char*)tiles,
                                                                                            s->map, per_row);
}
extern "C" void tensor_tile_teardown(tensor_tile_state* s) {
  delete s;
}

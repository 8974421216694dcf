// expect: pass
/// @file
/// Sound in another style: cuda::ptx, the map in device memory, blocks that stay and flip a parity, stores by all threads.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include "tensor_tile.cuh"
namespace ptx = cuda::ptx;

static CUtensorMap make_map(const void* at, CUtensorMapDataType type, cuuint64_t w, cuuint64_t h,
                            cuuint64_t pitch, cuuint32_t bw, cuuint32_t bh, CUtensorMapSwizzle sw) {
  static PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
  if (!encode) {
    void* p = nullptr;
    cudaDriverEntryPointQueryResult q;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &p, 12000, cudaEnableDefault, &q);
    encode = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(p);
  }
  CUtensorMap m{};
  cuuint64_t sizes[2] = {w, h}, strides[1] = {pitch};
  cuuint32_t box[2] = {bw, bh}, steps[2] = {1, 1};
  encode(&m, type, 2, const_cast<void*>(at), sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, sw,
         CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return m;
}

struct tensor_tile_state {
  CUtensorMap* map;
};
// map in device memory; persistent blocks; cuda::ptx; threads store by uint4
__global__ void kernel(uint4* tiles, const CUtensorMap* map, int across, int down, int per_row) {
  __shared__ alignas(128) uint4 tile[256];
  __shared__ std::uint64_t bar;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  std::uint32_t parity = 0;
  for (int t = blockIdx.x; t < across * down; t += gridDim.x, parity ^= 1) {
    if (threadIdx.x == 0) {
      ptx::fence_proxy_async(ptx::space_shared);
      const int32_t at[2] = {t % across * per_row, t / across * 32};
      ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, &bar);
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 4096);
    }
    while (!ptx::mbarrier_try_wait_parity(&bar, parity)) {
    }
    for (int i = threadIdx.x; i < 256; i += blockDim.x) tiles[(size_t)t * 256 + i] = tile[i];
    __syncthreads();
  }
}
extern "C" tensor_tile_state* tensor_tile_setup(const void* image, std::size_t w, std::size_t h,
                                                std::size_t pitch, std::size_t eb) {
  if (!w || !h) return nullptr;
  auto* s = new tensor_tile_state;
  const CUtensorMap m =
      make_map(image, eb == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_FLOAT32, w, h,
               pitch, 128 / eb, 32, CU_TENSOR_MAP_SWIZZLE_NONE);
  cudaMalloc(&s->map, sizeof m);
  cudaMemcpy(s->map, &m, sizeof m, cudaMemcpyHostToDevice);
  return s;
}
extern "C" void tensor_tile_run(tensor_tile_state* s, void* tiles, std::size_t w, std::size_t h,
                                std::size_t eb, cudaStream_t stream) {
  if (!s) return;
  const int per_row = 128 / eb, across = (w + per_row - 1) / per_row, down = (h + 31) / 32;
  int sms;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = across * down < sms * 16 ? across * down : sms * 16;
  kernel<<<blocks, 64, 0, stream>>>((uint4*)tiles, s->map, across, down, per_row);
}
extern "C" void tensor_tile_teardown(tensor_tile_state* s) {
  if (s) cudaFree(s->map);
  delete s;
}

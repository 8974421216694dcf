// expect: pass
/// @file
/// Sound in another style: the library's barrier and tensor copy, boxes of 64 rows, places computed from byte offsets.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include "swizzled_transpose.cuh"
namespace cg = cooperative_groups;

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

struct swizzled_transpose_state {
  CUtensorMap map;
};
using barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ unsigned swizzled(unsigned byte) {
  return byte ^ ((byte >> 7 & 7) << 4);
}
__global__ void kernel(float* out, const __grid_constant__ CUtensorMap map, unsigned rows, unsigned cols) {
  extern __shared__ __align__(1024) char raw[];
  char* const tile = raw + (1024 - (__cvta_generic_to_shared(raw) & 1023)) % 1024;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&bar, block.size());
    cuda::device::experimental::fence_proxy_async_shared_cta();
  }
  block.sync();
  barrier::arrival_token token;
  if (block.thread_rank() == 0) {
    cuda::device::experimental::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, blockIdx.x * 32,
                                                                         blockIdx.y * 64, bar);
    token = cuda::device::barrier_arrive_tx(bar, 1, 8192);
  } else
    token = bar.arrive();
  bar.wait(std::move(token));
  for (unsigned i = block.thread_rank(); i < 64 * 32; i += block.size()) {
    const unsigned c = i / 64, r = i % 64, row = blockIdx.y * 64 + r, col = blockIdx.x * 32 + c;
    if (row < rows && col < cols)
      out[(size_t)col * rows + row] = *(const float*)(tile + swizzled(r * 128 + c * 4));
  }
}
extern "C" swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t rows,
                                                              std::size_t cols) {
  if (!rows || !cols) return nullptr;
  return new swizzled_transpose_state{make_map(in, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, cols, rows, cols * 4, 32,
                                               64, CU_TENSOR_MAP_SWIZZLE_128B)};
}
extern "C" void swizzled_transpose_run(swizzled_transpose_state* s, float* out, std::size_t rows,
                                       std::size_t cols, cudaStream_t stream) {
  if (s)
    kernel<<<dim3((cols + 31) / 32, (rows + 63) / 64), 256, 8192 + 1024, stream>>>(out, s->map, rows, cols);
}
extern "C" void swizzled_transpose_teardown(swizzled_transpose_state* s) {
  delete s;
}

// expect: pass
/// @file
/// Sound in another style: the library's barrier and names, a few blocks that walk through the tiles with one on its way while another is
/// written; all threads wait, by token.
#include <cuda.h>

#include <cuda/barrier>
#include <cuda/ptx>

#include "swizzled_transpose.cuh"

using barrier = cuda::barrier<cuda::thread_scope_block>;

struct swizzled_transpose_state {
  CUtensorMap map;
};

__global__ void __launch_bounds__(128)
    walk(float* out, const __grid_constant__ CUtensorMap map, int rows, int cols, int across, int all) {
  __shared__ alignas(1024) float tile[2][32][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier full[2];
  if (threadIdx.x == 0) {
    for (auto& one : full) init(&one, blockDim.x);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);
  }
  __syncthreads();
  const auto ask = [&](int t, int buffer) -> barrier::arrival_token {
    if (threadIdx.x != 0 || t >= all) return full[buffer].arrive();
    const int corner[] = {t % across * 32, t / across * 32};
    cuda::ptx::cp_async_bulk_tensor(cuda::ptx::space_cluster, cuda::ptx::space_global, tile[buffer], &map,
                                    corner, cuda::device::barrier_native_handle(full[buffer]));
    return cuda::device::barrier_arrive_tx(full[buffer], 1, sizeof(tile[buffer]));
  };
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  int buffer = 0;
  auto here = ask(static_cast<int>(blockIdx.x), 0);
  for (int t = static_cast<int>(blockIdx.x); t < all; t += static_cast<int>(gridDim.x), buffer ^= 1) {
    auto next = ask(t + static_cast<int>(gridDim.x), buffer ^ 1);
    full[buffer].wait(std::move(here));
    for (int k = warp; k < 32; k += 4) {
      const int c = t % across * 32 + k, r = t / across * 32 + lane;
      if (r < rows && c < cols)
        out[std::size_t(c) * rows + r] = tile[buffer][lane][(k / 4 ^ lane % 8) * 4 + k % 4];
    }
    __syncthreads();  // all have read it
    here = std::move(next);
  }
}

extern "C" swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t rows,
                                                              std::size_t cols) {
  auto* const state = new swizzled_transpose_state;
  if (rows * cols == 0) return state;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {cols, rows}, strides[] = {4 * cols};
  const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &state->map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(in), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return state;
}

extern "C" void swizzled_transpose_teardown(swizzled_transpose_state* state) {
  delete state;
}

extern "C" void swizzled_transpose_run(swizzled_transpose_state* state, float* out, std::size_t rows,
                                       std::size_t cols, cudaStream_t stream) {
  if (rows * cols == 0) return;
  const int across = static_cast<int>((cols + 31) / 32), all = across * static_cast<int>((rows + 31) / 32);
  int sms = 1;
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  walk<<<min(all, 16 * sms), 128, 0, stream>>>(out, state->map, static_cast<int>(rows),
                                               static_cast<int>(cols), across, all);
}

// expect: pass
/// @file
/// Sound in another style: the copy engine brings the tile and takes the turned one away, both of them swizzled; so two maps, one of which
/// is made at each call. Where rows of out do not begin at multiples of 16 bytes, threads store.
#include <cuda.h>

#include "swizzled_transpose.cuh"

struct swizzled_transpose_state {
  CUtensorMap map;
};

static CUtensorMap describe(float* matrix, std::size_t rows, std::size_t cols) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult answer;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
  const cuuint64_t sizes[] = {cols, rows}, strides[] = {4 * cols};
  const cuuint32_t box[] = {32, 32}, steps[] = {1, 1};
  CUtensorMap map{};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, matrix, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

__device__ float& at(float (*tile)[32], unsigned int row, unsigned int col) {
  return tile[row][(col / 4 ^ row % 8) * 4 + col % 4];
}

__global__ void __launch_bounds__(256)
    turn(float* out, const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
         std::size_t rows, std::size_t cols) {
  __shared__ alignas(1024) float tile[32][32];
  __shared__ alignas(1024) float turned[32][32];
  __shared__ std::uint64_t full;
  const int first_row = static_cast<int>(32 * blockIdx.y), first_col = static_cast<int>(32 * blockIdx.x);
  if (threadIdx.x == 0) {
    barrier_init(&full);
    expect_bytes(&full, sizeof(tile));
    tensor_load(tile, &from, first_col, first_row, &full);
  }
  __syncthreads();
  wait_phase(&full, 0);
  // 8 rows x 4 columns a warp: no conflict where it reads, two lanes a bank where it writes.
  const unsigned int lane = threadIdx.x % 32, chunk = threadIdx.x / 32;
  if (rows % 4 == 0) {
    for (unsigned int k = 0; k < 32; k += 8) {
      const unsigned int row = k + lane % 8, col = 4 * chunk + lane / 8;
      at(turned, col, row) = at(tile, row, col);
    }
    writes_for_copies();
    __syncthreads();
    if (threadIdx.x != 0) return;
    tensor_store(&to, first_row, first_col, turned);
    bulk_store_wait_read<0>();
  } else {
    for (unsigned int k = 0; k < 32; k += 8) {
      const std::size_t r = first_row + k + lane % 8, c = first_col + 4 * chunk + lane / 8;
      if (r < rows && c < cols) out[c * rows + r] = at(tile, k + lane % 8, 4 * chunk + lane / 8);
    }
  }
}

extern "C" swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t rows,
                                                              std::size_t cols) {
  if (rows * cols == 0) return nullptr;
  return new swizzled_transpose_state{describe(const_cast<float*>(in), rows, cols)};
}

extern "C" void swizzled_transpose_run(swizzled_transpose_state* state, float* out, std::size_t rows,
                                       std::size_t cols, cudaStream_t stream) {
  if (rows * cols == 0) return;
  const dim3 blocks(static_cast<unsigned int>((cols + 31) / 32), static_cast<unsigned int>((rows + 31) / 32));
  turn<<<blocks, 256, 0, stream>>>(out, state->map, rows % 4 == 0 ? describe(out, cols, rows) : CUtensorMap{},
                                   rows, cols);
}

extern "C" void swizzled_transpose_teardown(swizzled_transpose_state* state) {
  delete state;
}

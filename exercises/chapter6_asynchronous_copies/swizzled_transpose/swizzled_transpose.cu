/// @file
/// swizzled_transpose: a matrix transpose whose tiles the copy engine brings. The one file of this exercise that is
/// edited and handed in; the contract is in swizzled_transpose.cuh, the task in README.md.
#include <cuda.h>  // CUtensorMap and its enumerations; nothing links to libcuda

#include "swizzled_transpose.cuh"

// >>> your code
#include <cstdio>

constexpr unsigned int tile_side = 32;  // floats: a row of a tile has 128 bytes
constexpr unsigned int block_rows = 8;  // a thread writes tile_side / block_rows = 4 elements

/// What lives from set-up to teardown, one for each matrix.
struct swizzled_transpose_state {
  CUtensorMap map;
};

/// Transposes one tile of 32 x 32 a block. Launch contract: blocks of 32 x 8 threads, one for each tile, tile columns along x
/// and tile rows along y.
// TODO: right, and slow. The engine brings rows of 128 bytes, side by side: count the banks that the 32 lanes of one
// read touch. It leaves no gap between rows, but it can shift the chunks of a row around. Let it, and find each element where it lies
// then. One more thing about the tile has to change: where it may begin.
__global__ void swizzled_transpose_kernel(float* out, const __grid_constant__ CUtensorMap map,
                                          std::size_t rows, std::size_t cols) {
  alignas(128) __shared__ float tile[tile_side][tile_side];
  __shared__ std::uint64_t full;
  const std::size_t first_row = std::size_t{blockIdx.y} * tile_side;
  const std::size_t first_col = std::size_t{blockIdx.x} * tile_side;

  if (threadIdx.x == 0 && threadIdx.y == 0) {
    barrier_init(&full);
    expect_bytes(&full, sizeof(tile));
    tensor_load(tile, &map, static_cast<int>(first_col), static_cast<int>(first_row), &full);
  }
  __syncthreads();  // the barrier is ready
  wait_phase(&full, 0);

  // Row c of out is column c of in.
  for (unsigned int k = threadIdx.y; k < tile_side; k += block_rows) {
    const std::size_t c = first_col + k;
    const std::size_t r = first_row + threadIdx.x;
    if (r < rows && c < cols) out[c * rows + r] = tile[threadIdx.x][k];
  }
}

extern "C" swizzled_transpose_state* swizzled_transpose_setup(const float* in, std::size_t rows,
                                                              std::size_t cols) {
  if (rows == 0 || cols == 0) return nullptr;  // there is nothing to describe
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  const cudaError_t asked =
      cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found);
  if (asked != cudaSuccess || encode == nullptr) {
    std::fprintf(stderr, "swizzled_transpose: this driver makes no tensor maps\n");
    return nullptr;
  }

  const cuuint64_t sizes[] = {cols, rows};              // the innermost dimension first
  const cuuint64_t strides[] = {cols * sizeof(float)};  // bytes, from row to row
  const cuuint32_t box[] = {tile_side, tile_side};      // elements
  const cuuint32_t steps[] = {1, 1};                    // every element
  auto* const state = new swizzled_transpose_state;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &state->map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(in), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result == CUDA_SUCCESS) return state;
  std::fprintf(stderr, "swizzled_transpose: cuTensorMapEncodeTiled says %d\n", static_cast<int>(result));
  delete state;
  return nullptr;
}

extern "C" void swizzled_transpose_run(swizzled_transpose_state* state, float* out, std::size_t rows,
                                       std::size_t cols, cudaStream_t stream) {
  if (state == nullptr) return;  // no element
  const dim3 threads(tile_side, block_rows);
  const dim3 blocks(static_cast<unsigned int>((cols + tile_side - 1) / tile_side),
                    static_cast<unsigned int>((rows + tile_side - 1) / tile_side));
  swizzled_transpose_kernel<<<blocks, threads, 0, stream>>>(out, state->map, rows, cols);
}

extern "C" void swizzled_transpose_teardown(swizzled_transpose_state* state) {
  delete state;
}
// <<< your code

/// @file
/// Contract of tma_pipeline: the one function that `tma_pipeline.cu` provides, and the tensor map that it is given. The device
/// functions that it may call stand in copy_engine.cuh. Never edited: the grader puts its own copy on the include path. CUDA's headers
/// are included for nvcc only, so that a host compiler reads it as well.
#pragma once

#include <cstddef>

#include "copy_engine.cuh"

#ifdef __CUDACC__
#include <cuda.h>
#include <cuda_runtime_api.h>
#endif

/// The CUDA runtime's stream handle; declared here so that no CUDA header is needed.
typedef struct CUstream_st* cudaStream_t;

// A box is what one tensor copy brings: 16 KB. Boxes overlap, since a sum needs neighbours on all four sides. A box may begin only at a
// multiple of 16 bytes in its row, so its rim is four floats wide at the left and the right, of which one is needed.
constexpr unsigned int tma_pipeline_box_width = 128;   ///< floats in a row of a box
constexpr unsigned int tma_pipeline_box_height = 32;   ///< rows of a box
constexpr unsigned int tma_pipeline_tile_width = 120;  ///< outputs in a row that a box is enough for
constexpr unsigned int tma_pipeline_tile_height = 30;  ///< rows of outputs that a box is enough for
constexpr unsigned int tma_pipeline_left = 4;          ///< floats of a box to the left of its first output
constexpr unsigned int tma_pipeline_above = 1;         ///< rows of a box above its first output

extern "C" {

/// @brief One step of heat: out = c + rate * (above + left + right + below - 4 c), with c and its neighbours from in.
///
/// What lies outside the image counts as zero. Few blocks walk through many tiles of 120 x 30 outputs. For each, one tensor copy brings a
/// box of 128 x 32 floats, 16 KB; the copies for later tiles are under way while a tile is computed. Predicted traffic: 4 x width
/// x height bytes read and as many written; the boxes overlap, so copies ask for about 1.14 times that. Needs compute capability 9.0.
///
/// @param[out] out    New temperatures. Device memory, shape (@p height, @p width) floats, rows side by side, aligned to 128
///                    bytes. Holds arbitrary values before the call. Nothing behind it may be written.
/// @param[in]  in     Temperatures. Device memory, shape (@p height, @p width) floats, rows side by side, aligned to 128 bytes. Read
///                    only: must be unchanged afterwards. Does not overlap @p out. Nothing behind it may be read.
/// @param[in]  width  Floats in a row, a multiple of 4, as a tensor map needs it. [elements] 0 is legal: nothing is written.
/// @param[in]  height Rows. [elements] 0 is legal: nothing is written.
/// @param[in]  rate   Share of the difference that flows in one step. Any finite number.
/// @param[in]  blocks The most blocks that may be launched, at least 1: one for each SM where it is timed. [blocks]
/// @param[in]  stream Stream on which all work is queued. The call may return before the work is done.
/// @note Compared within 1e-5 of the magnitudes that are added up.
void tma_pipeline_run(float* out, const float* in, std::size_t width, std::size_t height, float rate,
                      unsigned int blocks, cudaStream_t stream);

}  // extern "C"

#ifdef __CUDACC__

/// The image at @p in as the copy engine knows it: @p height rows of @p width floats, in boxes of 128 x 32, zeros outside. Both sizes
/// at least 1. Given, since tensor_tile is about it. All zeros if the driver has no such function.
inline CUtensorMap image_map(const float* in, std::size_t width, std::size_t height) {
  static void* encode = [] {  // asked once, from the runtime: nothing links to libcuda
    void* found = nullptr;
    cudaDriverEntryPointQueryResult answer{};
    const cudaError_t asked =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &answer);
    return asked == cudaSuccess ? found : nullptr;
  }();
  CUtensorMap map{};
  if (encode == nullptr) return map;
  const cuuint64_t sizes[] = {width, height};
  const cuuint64_t strides[] = {width * sizeof(float)};
  const cuuint32_t box[] = {tma_pipeline_box_width, tma_pipeline_box_height};
  const cuuint32_t steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, const_cast<float*>(in), sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

#endif  // __CUDACC__

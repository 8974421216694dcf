/// @file
/// Tensor maps of the held-out sets: boxes of floats, nothing swizzled, noughts beyond the edges. Programs that are linked to no driver get the
/// encoder from the runtime.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace ladder {

/// @param data device memory, aligned to 16 bytes. @param sizes of it, the innermost first [elements]; @param strides of all dimensions but
/// the innermost [bytes]; @param box [elements].
/// @return false where the driver makes none.
template <std::size_t Rank>
bool make_tensor_map(CUtensorMap* map, float* data, const cuuint64_t (&sizes)[Rank],
                     const cuuint64_t (&strides)[Rank - 1], const cuuint32_t (&box)[Rank],
                     CUtensorMapL2promotion promotion = CU_TENSOR_MAP_L2_PROMOTION_NONE) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      encode == nullptr)
    return false;
  cuuint32_t steps[Rank];
  for (cuuint32_t& step : steps) step = 1;
  return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
             map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, Rank, data, sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, promotion,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

}  // namespace ladder

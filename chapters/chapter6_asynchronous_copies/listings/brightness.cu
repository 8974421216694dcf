/// @file
/// Lesson 6: the brightness of each row of each box of an image in half precision. A tensor
/// copy brings the box, shifts it around in shared memory so that columns are cheap, and fills
/// with zeros where the image ends. Checks both layouts.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda/ptx>

#include "../../chapter2_shared_memory/listings/check.cuh"

namespace ptx = cuda::ptx;

constexpr int box_width = 64, box_height = 32;  // a row of a box is 64 x 2 = 128 bytes

// [map]
/// Describes an image of halves to the copy engine. `pitch`: bytes from one row to the next, a
/// multiple of 16.
CUtensorMap describe(__half* image, std::size_t width, std::size_t height, std::size_t pitch,
                     CUtensorMapSwizzle swizzle) {
  void* encode = nullptr;  // the driver's function, from the runtime: nothing links to libcuda
  cudaDriverEntryPointQueryResult found;
  must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000,
                                        cudaEnableDefault, &found),
       "driver");

  const cuuint64_t sizes[] = {width, height};  // the innermost dimension first
  const cuuint64_t strides[] = {pitch};        // bytes, from the second dimension on: rank - 1
  const cuuint32_t box[] = {box_width, box_height};  // elements, in the order of the sizes
  const cuuint32_t steps[] = {1, 1};                 // every element
  CUtensorMap map;
  const CUresult result = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, image, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);  // zeros out of bounds
  must(result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "cuTensorMapEncodeTiled");
  return map;
}
// [map]

// [box]
/// sums[32 * box + r] = sum of row r of a box.
/// Launch contract: one warp a block; a block a box, grid (across, down).
template <bool swizzled>
__global__ void row_sums(const __grid_constant__ CUtensorMap map, float* sums) {
  alignas(1024) __shared__ __half2 box[box_height][box_width / 2];
  __shared__ std::uint64_t full;
  const int row = threadIdx.x;
  if (row == 0) {
    ptx::mbarrier_init(&full, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    const int x = blockIdx.x * box_width, y = blockIdx.y * box_height;
    const int corner[] = {x, y};  // innermost first, in elements
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                   sizeof(box));
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &map, corner, &full);
  }
  __syncwarp();  // the barrier is ready before anybody waits at it
  while (!ptx::mbarrier_try_wait_parity(&full, 0)) {
  }

  float sum = 0.0f;
  for (int pair = 0; pair < box_width / 2; ++pair) {
    const int chunk = pair / 4;  // of 16 bytes, 8 in a row
    const int place = swizzled ? chunk ^ row % 8 : chunk;
    const float2 v = __half22float2(box[row][4 * place + pair % 4]);
    sum += v.x + v.y;
  }
  sums[box_height * (gridDim.x * blockIdx.y + blockIdx.x) + row] = sum;
}
// [box]

int main() {
  bool right = true;
  const int width = 150, height = 70;  // the last boxes stick out
  const int pitch_halves = 152;        // 304 bytes a row
  std::vector<__half> image(std::size_t{1} * pitch_halves * height,
                            __float2half(99.0f));  // the padding is not zero
  const auto value = [](int x, int y) { return float((x * 7 + y * 13) % 31 - 15); };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image[std::size_t{1} * pitch_halves * y + x] = __float2half(value(x, y));

  const dim3 grid((width + box_width - 1) / box_width, (height + box_height - 1) / box_height);
  for (const bool swizzled : {false, true}) {
    device_array<__half> from(image);
    device_array<float> sums(grid.x * grid.y * box_height);
    const CUtensorMap map =
        describe(from.data(), width, height, pitch_halves * sizeof(__half),
                 swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE);
    (swizzled ? row_sums<true> : row_sums<false>)<<<grid, box_height>>>(map, sums.data());
    const std::vector<float> out = sums.to_host();
    for (unsigned by = 0; by < grid.y; ++by)
      for (unsigned bx = 0; bx < grid.x; ++bx)
        for (int r = 0; r < box_height; ++r) {
          float wanted = 0.0f;  // small whole numbers: exact
          const int y = int(by) * box_height + r;
          for (int x = int(bx) * box_width; x < int(bx + 1) * box_width; ++x)
            if (x < width && y < height) wanted += value(x, y);
          right = right && out[box_height * (grid.x * by + bx) + r] == wanted;
        }
  }
  return verdict("row sums of boxes, with and without swizzle", right);
}

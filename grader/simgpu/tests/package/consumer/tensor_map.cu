// A program that is linked to the driver for the function that makes tensor maps, or asks for it by name. Other functions of the driver
// are not there: `missing` calls one all the same.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

int main(int count, char** arguments) {
  const char* const way = count > 1 ? arguments[1] : "linked";
  float* x;
  if (cudaMalloc(&x, 64 * 64 * sizeof(float)) != cudaSuccess) return 1;
  const cuuint64_t sizes[2] = {64, 64}, strides[1] = {64 * sizeof(float)};
  const cuuint32_t box[2] = {32, 32}, steps[2] = {1, 1};
  auto* encode = &cuTensorMapEncodeTiled;
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (std::strcmp(way, "by_name") == 0) {
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    encode = reinterpret_cast<decltype(encode)>(found);
  } else if (std::strcmp(way, "by_the_driver") == 0) {
    CUdriverProcAddressQueryResult answer;
    if (cuGetProcAddress("cuTensorMapEncodeTiled", &found, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &answer) !=
        CUDA_SUCCESS)
      return 2;
    encode = reinterpret_cast<decltype(encode)>(found);
  } else if (std::strcmp(way, "missing") == 0) {
    cudaGetDriverEntryPointByVersion("cuMemsetD32", &found, 12000, cudaEnableDefault, &result);
    reinterpret_cast<CUresult (*)(CUdeviceptr, unsigned int, size_t)>(found)(0, 0, 0);
  } else if (std::strcmp(way, "init") == 0) {
    return cuInit(0) == CUDA_SUCCESS ? 0 : 3;
  }
  CUtensorMap map;
  CUresult answer = CUDA_SUCCESS;
  for (const cuuint32_t rank : {2u, 9u}) {  // the second one is wrong
    answer = encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, rank, x, sizes, strides, box, steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    const char* text = "";
    cuGetErrorName(answer, &text);
    std::printf("rank %u: %s\n", rank, text);
  }
  cudaFree(x);
  return 0;
}

/// @file
/// Driver entry points by name. The simulator has no driver library: the functions that make tensor maps, and those
/// that name errors or look up others, are found here, every other name is answered with "not found", which is how libraries learn to do without.
#include <cuda.h>

#include <string_view>

#include "simgpu/async/tensor_map.hpp"
#include "simgpu/runtime/api.hpp"
#include "simgpu/runtime/host_fault.hpp"

using namespace simgpu;
using namespace simgpu::runtime;

namespace {

/// Says why, since the error code of a driver function does not.
CUresult answer(const char* name, const std::string& why) {
  Runtime& runtime = Runtime::get();
  const std::lock_guard lock(runtime.mutex);
  runtime.count_call(name);
  if (why.empty()) return CUDA_SUCCESS;
  runtime.explain(cudaErrorInvalidValue, std::string(name) + ": " + why, {});
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI encode_tiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                              const cuuint64_t* sizes, const cuuint64_t* strides, const cuuint32_t* box,
                              const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                              CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                              CUtensorMapFloatOOBfill fill) {
  static_assert(sizeof(CUtensorMap) == async::kTensorMapBytes);
  async::TensorMapRequest request;
  request.type = static_cast<std::uint32_t>(type);
  request.rank = rank;
  request.address = reinterpret_cast<std::uint64_t>(address);
  request.sizes = reinterpret_cast<const std::uint64_t*>(sizes);
  request.strides = reinterpret_cast<const std::uint64_t*>(strides);
  request.box = box;
  request.element_strides = element_strides;
  request.interleave = static_cast<std::uint32_t>(interleave);
  request.swizzle = static_cast<std::uint32_t>(swizzle);
  request.l2_promotion = static_cast<std::uint32_t>(promotion);
  request.oob_fill = static_cast<std::uint32_t>(fill);
  return answer("cuTensorMapEncodeTiled", async::encode(request, map));
}

CUresult CUDAAPI replace_address(CUtensorMap* map, void* address) {
  return answer("cuTensorMapReplaceAddress",
                async::replace_address(map, reinterpret_cast<std::uint64_t>(address)));
}

// Driver and runtime number their errors alike.
CUresult CUDAAPI error_string(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *text = cudaGetErrorString(static_cast<cudaError_t>(error));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI error_name(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (error) {  // what these functions return
    case CUDA_SUCCESS:
      *text = "CUDA_SUCCESS";
      break;
    case CUDA_ERROR_INVALID_VALUE:
      *text = "CUDA_ERROR_INVALID_VALUE";
      break;
    case CUDA_ERROR_NOT_FOUND:
      *text = "CUDA_ERROR_NOT_FOUND";
      break;
    default:
      *text = cudaGetErrorName(static_cast<cudaError_t>(error));
  }
  return CUDA_SUCCESS;
}

cudaError_t find(const char* symbol, void** function, unsigned int version,
                 cudaDriverEntryPointQueryResult* result);

// Two numberings of the same answers.
CUresult CUDAAPI get_proc_address(const char* symbol, void** function, int version, cuuint64_t,
                                  CUdriverProcAddressQueryResult* result) {
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (find(symbol, function, static_cast<unsigned int>(version), &found) != cudaSuccess)
    return CUDA_ERROR_INVALID_VALUE;
  if (result != nullptr) *result = static_cast<CUdriverProcAddressQueryResult>(found);
  return found == cudaDriverEntryPointSuccess ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
static_assert(static_cast<int>(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT) ==
                  static_cast<int>(cudaDriverEntryPointVersionNotSufficent) &&
              static_cast<int>(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND) ==
                  static_cast<int>(cudaDriverEntryPointSymbolNotFound));

// As it was before CUDA 12.
CUresult CUDAAPI get_proc_address_of_11(const char* symbol, void** function, int version, cuuint64_t flags) {
  return get_proc_address(symbol, function, version, flags, nullptr);
}

/// First driver version that has the two functions.
constexpr unsigned int kTensorMapVersion = 12000;

cudaError_t find(const char* symbol, void** function, unsigned int version,
                 cudaDriverEntryPointQueryResult* result) {
  if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
  const std::string_view name = symbol;
  *function = name == "cuGetErrorString"            ? reinterpret_cast<void*>(&error_string)
              : name == "cuGetErrorName"            ? reinterpret_cast<void*>(&error_name)
              : name == "cuTensorMapEncodeTiled"    ? reinterpret_cast<void*>(&encode_tiled)
              : name == "cuTensorMapReplaceAddress" ? reinterpret_cast<void*>(&replace_address)
              : name == "cuGetProcAddress"          ? version < 12000
                                                          ? reinterpret_cast<void*>(&get_proc_address_of_11)
                                                          : reinterpret_cast<void*>(&get_proc_address)
                                                    : nullptr;
  if (*function == nullptr) note_missing_driver_function(symbol);
  cudaDriverEntryPointQueryResult answer =
      *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  if (*function != nullptr && version < kTensorMapVersion && name.starts_with("cuTensorMap")) {
    *function = nullptr;
    answer = cudaDriverEntryPointVersionNotSufficent;
  }
  if (result != nullptr) *result = answer;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned int version,
                                             unsigned long long, cudaDriverEntryPointQueryResult* result) {
  return api("cudaGetDriverEntryPointByVersion",
             [&](Runtime&) { return find(symbol, function, version, result); });
}

// Not declared by the header of CUDA 13 any more, but exported by its library.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return api("cudaGetDriverEntryPoint",
             [&](Runtime&) { return find(symbol, function, CUDA_VERSION, result); });
}

}  // extern "C"
